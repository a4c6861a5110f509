//! Goals that name a control outright, made for every control of pages of common labels. At least 98 of 100 must be right.

use serde_json::json;

use crate::testing::{Page, page};

const PAGES: &[&[&str]] = &[
    &[
        "Home",
        "News",
        "Contact",
        "About us",
        "Careers",
        "Press",
        "Privacy policy",
        "Terms of use",
        "Cookie settings",
        "Sitemap",
        "Log in",
        "Register",
        "Search",
        "Accessibility",
        "English",
        "Deutsch",
        "Back to top",
    ],
    &[
        "Inbox",
        "Starred",
        "Snoozed",
        "Sent",
        "Drafts",
        "All mail",
        "Spam",
        "Trash",
        "Compose",
        "Reply",
        "Reply all",
        "Forward",
        "Archive",
        "Report spam",
        "Mark as unread",
        "Move to",
        "Labels",
        "More options",
        "Settings",
        "Sign out",
    ],
    &[
        "New repository",
        "Import project",
        "Pull requests",
        "Issues",
        "Marketplace",
        "Explore",
        "Fork",
        "Star",
        "Watch",
        "Code",
        "Actions",
        "Projects",
        "Wiki",
        "Security",
        "Insights",
        "Add file",
        "Go to file",
        "Clone",
        "Download ZIP",
        "Branches",
        "Tags",
        "Releases",
    ],
    &[
        "Add to basket",
        "Add to wishlist",
        "Size guide",
        "Small",
        "Medium",
        "Large",
        "Red",
        "Navy blue",
        "Forest green",
        "Quantity",
        "Write a review",
        "Delivery and returns",
        "Check stock in store",
        "Share",
        "View basket",
        "Checkout",
        "Continue shopping",
        "Apply voucher",
    ],
    &[
        "First name",
        "Last name",
        "Email address",
        "Phone number",
        "Street address",
        "City",
        "Postcode",
        "Country",
        "Company",
        "VAT number",
        "Save changes",
        "Cancel",
        "Delete account",
        "Change password",
        "Upload photo",
        "Download my data",
        "Two-factor authentication",
        "Manage devices",
    ],
    &[
        "Overview",
        "Analytics",
        "Revenue",
        "Customers",
        "Subscriptions",
        "Invoices",
        "Payouts",
        "Balance",
        "Disputes",
        "Export CSV",
        "Filter by date",
        "Today",
        "Last 7 days",
        "Last 30 days",
        "Custom range",
        "Create report",
        "Schedule report",
        "Refresh",
    ],
    &[
        "Play",
        "Pause",
        "Next track",
        "Previous track",
        "Shuffle",
        "Repeat",
        "Mute",
        "Full screen",
        "Add to queue",
        "Create playlist",
        "Liked songs",
        "Podcasts",
        "Audiobooks",
        "Lyrics",
        "Connect to a device",
        "Volume",
    ],
    &[
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "9:00",
        "9:30",
        "10:00",
        "10:30",
        "11:00",
        "14:00",
        "15:30",
        "Previous week",
        "Next week",
        "Book appointment",
        "Join waiting list",
        "Dr. Anna Weiss",
        "Dr. Omar Said",
    ],
    &[
        "Economy",
        "Premium economy",
        "Business",
        "First class",
        "One way",
        "Return",
        "Multi-city",
        "From",
        "To",
        "Depart",
        "Passengers",
        "Direct flights only",
        "Flexible dates",
        "Show flights",
        "Hotels",
        "Car hire",
        "Manage booking",
        "Check in",
    ],
];

/// A page of these labels as buttons and links, with a field of another name, so that each label stands once.
fn page_of(goal: &str, labels: &[&str]) -> Page {
    labels.iter().enumerate().fold(page(goal), |page, (at, label)| {
        page.press_in(
            &format!("{}:{label}", if at % 3 == 0 { "link" } else { "button" }),
            json!({"landmark": if at % 2 == 0 { "main" } else { "navigation" }}),
        )
    })
}

fn goals(label: &str) -> Vec<String> {
    let lower = label.to_lowercase();
    vec![
        format!("Click '{label}'"),
        format!("Press the \"{label}\" button"),
        format!("Click on {label}"),
        format!("tap {lower}"),
        format!("Click the {lower} link"),
    ]
}

#[test]
fn goals_that_name_a_control_find_it() {
    let (mut total, mut misses) = (0, Vec::new());
    for labels in PAGES {
        for label in *labels {
            for goal in goals(label) {
                total += 1;
                let decision = page_of(&goal, labels).decide();
                let right = decision.op == "press" && decision.target["name"] == *label && decision.confidence >= 0.85;
                if !right {
                    misses.push(format!("{goal} -> {} {:.2}", decision.shown(), decision.confidence));
                }
            }
        }
    }
    println!("explicit goals: {} of {total}; missed: {misses:#?}", total - misses.len());
    assert!(total >= 684, "{total}");
    assert!(misses.len() * 50 <= total, "{} of {total} missed: {misses:#?}", misses.len());
}

#[test]
fn goals_that_name_a_field_or_a_box_find_it() {
    let labels = [
        "First name",
        "Surname",
        "Email address",
        "Phone number",
        "Street",
        "Town",
        "Postcode",
        "Country of birth",
        "Employer",
        "Nickname",
        "Shoe size",
        "Favourite colour",
    ];
    let (mut total, mut misses) = (0, Vec::new());
    for label in labels {
        for goal in [
            format!("Type 'Kim 7' into {label}"),
            format!("Fill {label} with 'Kim 7'"),
            format!("Enter \"Kim 7\" in the {label} field"),
            format!("Set {label} to 'Kim 7'"),
        ] {
            total += 1;
            let form = labels.iter().fold(page(&goal).quoted("Kim 7"), |page, label| page.field(label, "text", json!({})));
            let decision = form.decide();
            if decision.op != "fill" || decision.target["name"] != label || decision.confidence < 0.6 {
                misses.push(format!("{goal} -> {} {:.2}", decision.shown(), decision.confidence));
            }
        }
        for goal in [format!("Check '{label}'"), format!("Tick {label}"), format!("Select {label}")] {
            total += 1;
            let boxes = labels
                .iter()
                .fold(page(&goal), |page, label| page.toggle(&format!("checkbox:{label}"), json!({"state": ["not checked"]})));
            let decision = boxes.decide();
            if decision.op != "toggle" || decision.target["name"] != label || decision.confidence < 0.85 {
                misses.push(format!("{goal} -> {} {:.2}", decision.shown(), decision.confidence));
            }
        }
    }
    println!("fields and boxes: {} of {total}; missed: {misses:#?}", total - misses.len());
    assert!(misses.len() * 50 <= total, "{} of {total} missed: {misses:#?}", misses.len());
}
