//! What is sold: names that differ by one word, so that choosing a row takes reading it.

/// One thing on the shelf.
#[derive(Debug, PartialEq, Eq)]
pub struct Product {
    /// The number forms name it by; it says nothing about the product.
    pub sku: &'static str,
    /// The full name, as every page shows it.
    pub name: &'static str,
    /// In pence.
    pub price_pence: u32,
    /// One line about it.
    pub blurb: &'static str,
    /// Its outline in the picture.
    pub(crate) shape: Shape,
    /// Its colour in the picture.
    pub(crate) colour: &'static str,
}

/// The outlines that the pictures know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Mug,
    Bowl,
    Jug,
    Plate,
    Board,
    Towel,
    Pot,
}

const BLUE: &str = "#2f5d8c";
const GREEN: &str = "#4c7a5b";
const WHITE: &str = "#e9e4d8";
const GLAZE: &str = "#5b8fb0";
const RED: &str = "#b4533f";
const GREY: &str = "#7c8288";
const OAK: &str = "#b98a55";

/// The whole shelf, in the first shop's order.
pub static PRODUCTS: [Product; 13] = [
    Product {
        sku: "1041",
        name: "Blue Enamel Bowl",
        price_pence: 1100,
        blurb: "Holds soup for one, or salad for nobody else.",
        shape: Shape::Bowl,
        colour: BLUE,
    },
    Product {
        sku: "1058",
        name: "Blue Glazed Mug",
        price_pence: 1450,
        blurb: "Thrown by hand; no two alike.",
        shape: Shape::Mug,
        colour: GLAZE,
    },
    Product {
        sku: "1063",
        name: "White Enamel Mug",
        price_pence: 1250,
        blurb: "A camp classic with a steel rim.",
        shape: Shape::Mug,
        colour: WHITE,
    },
    Product {
        sku: "1042",
        name: "Blue Enamel Mug",
        price_pence: 1250,
        blurb: "A camp classic with a steel rim.",
        shape: Shape::Mug,
        colour: BLUE,
    },
    Product {
        sku: "1047",
        name: "Blue Enamel Jug",
        price_pence: 2400,
        blurb: "Pours without a drip, a litre at a time.",
        shape: Shape::Jug,
        colour: BLUE,
    },
    Product {
        sku: "1066",
        name: "Green Enamel Mug",
        price_pence: 1250,
        blurb: "A camp classic with a steel rim.",
        shape: Shape::Mug,
        colour: GREEN,
    },
    Product {
        sku: "1044",
        name: "Large Blue Enamel Mug",
        price_pence: 1600,
        blurb: "Half a litre, for long mornings.",
        shape: Shape::Mug,
        colour: BLUE,
    },
    Product {
        sku: "1049",
        name: "Blue Enamel Plate",
        price_pence: 950,
        blurb: "Flat, round and hard to break.",
        shape: Shape::Plate,
        colour: BLUE,
    },
    Product {
        sku: "1071",
        name: "Red Glazed Bowl",
        price_pence: 1800,
        blurb: "Iron-red glaze over stoneware.",
        shape: Shape::Bowl,
        colour: RED,
    },
    Product {
        sku: "1085",
        name: "Grey Stoneware Teapot",
        price_pence: 3900,
        blurb: "Four cups, and a lid that stays on.",
        shape: Shape::Pot,
        colour: GREY,
    },
    Product {
        sku: "1090",
        name: "Oak Serving Board",
        price_pence: 2750,
        blurb: "One piece of oak, oiled twice.",
        shape: Shape::Board,
        colour: OAK,
    },
    Product {
        sku: "1093",
        name: "Blue Linen Tea Towel",
        price_pence: 850,
        blurb: "Washed linen that dries glass clean.",
        shape: Shape::Towel,
        colour: GLAZE,
    },
    Product {
        sku: "1096",
        name: "Green Glazed Jug",
        price_pence: 2650,
        blurb: "A copper-green glaze that pools at the foot.",
        shape: Shape::Jug,
        colour: GREEN,
    },
];

/// The product a form names, if there is one.
pub(crate) fn by_sku(sku: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| product.sku == sku)
}

/// Places on the shelf whose name shares enough words with `query`: two when the query has two or more, else one.
pub(crate) fn matching(query: &str) -> Vec<usize> {
    let wanted: Vec<String> = query.split_whitespace().take(12).map(stem).filter(|word| !STOP.contains(&word.as_str())).collect();
    let needed = wanted.len().clamp(1, 2);
    let shared = |product: &Product| {
        let name: Vec<String> = product.name.split_whitespace().map(stem).collect();
        wanted.iter().filter(|word| name.contains(word)).count()
    };
    PRODUCTS.iter().enumerate().filter(|(_, product)| shared(product) >= needed).map(|(place, _)| place).collect()
}

const STOP: [&str; 5] = ["", "the", "a", "an", "of"];

fn stem(word: &str) -> String {
    let word: String = word.chars().filter(|letter| letter.is_alphanumeric()).take(40).collect::<String>().to_lowercase();
    word.strip_suffix('s').map_or(word.clone(), str::to_owned)
}

/// An amount as the pages show it.
pub(crate) fn pounds(pence: u64) -> String {
    format!("£{}.{:02}", pence / 100, pence % 100)
}
