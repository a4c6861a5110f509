use super::*;

/// Clauses in one line: intent(object | field = value).
fn shown(goal: &str) -> String {
    read_goal(goal)
        .iter()
        .map(|clause| {
            let mut inner = clause.object.text.content.join(" ");
            if let Some(value) = &clause.value {
                inner = format!("{} = {}", clause.field.core().join(" "), value.folded);
            }
            let every = if clause.every_field { " every" } else { "" };
            let ordinal = clause.object.ordinal.map(|number| format!(" #{number}")).unwrap_or_default();
            format!("{:?}({inner}{every}{ordinal})", clause.intent)
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn chores_are_split_into_their_steps() {
    let chore = "Sign in, search for Blue Enamel Mug and add it to the basket";
    assert_eq!(shown(chore), "SignIn() Search(blue enamel mug) AddToBasket(blue enamel mug)");
    assert_eq!(
        shown(
            "1. Log in with my account\n2. Find \"Salt and Pepper Mill\".\n3. Put the product in the trolley, then go to checkout."
        ),
        "SignIn(account) Search(salt pepper mill) AddToBasket(salt pepper mill) Checkout()"
    );
    assert_eq!(
        shown("Please open the invoices page and download the March invoice"),
        "Open(invoice page) Download(march invoice)"
    );
    assert_eq!(shown("I want to buy Search and Rescue Manual"), "AddToBasket(search rescue manual)");
}

#[test]
fn todo_goals_are_split_into_their_steps() {
    assert_eq!(shown("Add a todo 'Buy milk' and mark it as completed"), "AddItem( = buy milk) Check(buy milk)");
    assert_eq!(shown("Add todos 'A', 'B' and 'C', then delete 'B'"), "AddItem( = a) AddItem( = b) AddItem( = c) Delete(b)");
    assert_eq!(shown("create a task called Walk the dog"), "AddItem( = walk the dog)");
    assert_eq!(shown("add Buy milk to the todo list"), "AddItem( = buy milk)");
}

#[test]
fn small_explicit_goals_are_read_as_meant() {
    for (goal, expected) in [
        ("Click the \"ok\" button.", "Press(ok)"),
        ("Enter \"Bob\" into the text field and press Submit.", "Fill( = bob) Press(submit)"),
        ("Select Foo from the list and click Submit.", "Choose( = foo) Press(submit)"),
        ("Select a, b2 and click Submit.", "Choose( = a) Choose( = b2) Press(submit)"),
        ("Select checkboxes x1, y2 and click Submit", "Choose( = checkboxes x1) Choose( = y2) Press(submit)"),
        ("Select nothing and click Submit.", "Press(submit)"),
        (
            "Enter the username \"kim\" and the password \"0e\" into the text fields and press login.",
            "Fill(username = kim) Fill(password = 0e) Press(login)",
        ),
        ("Enter the password \"k\" into both text fields and press submit.", "Fill(password = k every) Press(submit)"),
        ("Fill the Name field with Bob Smith", "Fill(name = bob smith)"),
        ("Type hello in the search box and press Enter", "Fill(search = hello) PressEnter()"),
        ("Set the country to Norway", "Set(country = norway)"),
        ("Uncheck 'Newsletter'", "Uncheck(newsletter)"),
        (
            "Use the textbox to enter \"Joan\" and press \"Search\", then find and click the 3rd search result.",
            "Fill( = joan) Press(search) Press( #3)",
        ),
        ("Expand the section below and click submit.", "Expand(section below) Press(submit)"),
        ("Blue Mug", "Named(blue mug)"),
        ("", ""),
        ("the of and", ""),
    ] {
        assert_eq!(shown(goal), expected, "{goal}");
    }
}

#[test]
fn end_states_and_wishes_are_read_as_steps() {
    let add = "AddToBasket(oak stool)";
    for goal in [
        "add oak stool to basket",
        "I want the Oak Stool in my basket",
        "I'd like an oak stool in my cart",
        "I need to have the oak stool in the shopping bag",
        "The basket contains one Oak Stool",
        "My shopping cart should have an oak stool",
        "the basket shows the oak stool",
        "The oak stool is in the basket",
        "Make sure the oak stool is in my basket",
        "ensure that the basket contains an oak stool",
        "get the oak stool into my basket",
        "Add the oak stool to the basket, so the basket contains the oak stool",
    ] {
        assert_eq!(shown(goal), add, "{goal}");
    }
    for goal in [
        "Sign in and put the oak stool into my basket",
        "add the oak stool to the basket, signing in first",
        "After signing in, add the oak stool to the basket",
        "Once signed in, put the oak stool in the basket.",
        "Once you are logged in with my account, put the oak stool in the basket.",
        "Add the oak stool to the basket after logging in",
        "Sign in, and the basket contains an oak stool",
        "I am signed in and the basket contains an oak stool",
        "Sign in. The oak stool should be in the basket.",
    ] {
        assert_eq!(shown(goal).replace("SignIn(account)", "SignIn()"), format!("SignIn() {add}"), "{goal}");
    }
    assert_eq!(
        shown("Search for the oak stool, add it to the basket, signing in first"),
        "SignIn() Search(oak stool) AddToBasket(oak stool)"
    );
    assert_eq!(shown("The list contains 'Buy milk'"), "AddItem( = buy milk)");
}

#[test]
fn what_is_no_wish_stays_what_it_was() {
    for goal in [
        "The basket contains no oak stool",
        "If the oak stool is in the basket, stop",
        "The basket contains only the oak stool",
        "The oak stool is not in the basket",
    ] {
        assert!(!shown(goal).contains("AddToBasket"), "{goal}: {}", shown(goal));
    }
    assert_eq!(shown("Add the oak stool to the basket without signing in").matches("SignIn").count(), 0);
    assert_eq!(shown("Tick keep me signed in").matches("SignIn").count(), 0);
}

#[test]
fn what_is_joined_to_a_sign_in_is_never_swallowed_by_it() {
    for goal in ["Sign in as kim@shop.example and order the oak stool, the brown one", "Sign in and obtain the oak stool"] {
        assert!(shown(goal).starts_with("SignIn("), "{goal}");
        assert!(shown(goal).contains("Beyond("), "{goal}: {}", shown(goal));
    }
    assert_eq!(shown("Sign in with email kim@shop.example and the password"), "SignIn(email kim shop example password)");
}
