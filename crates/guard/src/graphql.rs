//! Whether a GraphQL request asks and does not change: every operation of its document is a query, and nothing beside the
//! document can put another one in its place.

use apollo_parser::Parser;
use apollo_parser::cst::Definition;
use serde_json::{Map, Value};

/// Tokens of a document; real ones have some hundreds.
const TOKENS_MAX: usize = 20_000;
/// Nesting of a document.
const DEPTH_MAX: usize = 100;

/// Names in an address that only repeat which operation of the document is meant.
const OPERATION_NAMES: [&str; 4] = ["op", "opname", "operation", "operationname"];

/// True when the body is one request with nothing but queries in it. Batches, persisted documents (by hash or by id) and members
/// that are not of the protocol are no reads, because what would be run is not in the body.
pub(crate) fn only_asks(body: &Map<String, Value>) -> bool {
    let known = body.iter().all(|(name, value)| match name.as_str() {
        "query" => value.is_string(),
        "operationName" => value.is_string() || value.is_null(),
        "variables" => value.is_object() || value.is_null(),
        "extensions" => is_harmless(value),
        _ => false,
    });
    known && body.get("query").and_then(Value::as_str).is_some_and(is_query_document)
}

/// Apollo's client names itself there. Anything else, such as `persistedQuery`, may choose another document.
fn is_harmless(extensions: &Value) -> bool {
    match extensions {
        Value::Null => true,
        Value::Object(members) => members.keys().all(|name| name == "clientLibrary"),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

/// True when the address adds nothing by which a server could run something else than the body's document.
pub(crate) fn address_adds_nothing(url: &url::Url) -> bool {
    url.query_pairs().all(|(name, _)| OPERATION_NAMES.contains(&name.to_ascii_lowercase().as_str()))
}

/// True when the text parses without an error, has at least one operation, and all of them are queries. Which of several is run
/// is chosen by name, so one mutation among them is enough to say no.
pub(crate) fn is_query_document(text: &str) -> bool {
    is_document_of(text, Operations::Queries)
}

/// The same for what is sent over a socket, where a subscription asks as well.
pub(crate) fn is_listening_document(text: &str) -> bool {
    is_document_of(text, Operations::QueriesAndSubscriptions)
}

/// Which operations a document may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operations {
    Queries,
    QueriesAndSubscriptions,
}

fn is_document_of(text: &str, may_have: Operations) -> bool {
    let tree = Parser::new(text).token_limit(TOKENS_MAX).recursion_limit(DEPTH_MAX).parse();
    if tree.errors().len() > 0 {
        return false;
    }
    let mut operations = 0_usize;
    for definition in tree.document().definitions() {
        match definition {
            Definition::OperationDefinition(operation) => {
                let queries = operation.operation_type().is_none_or(|kind| {
                    let subscribes = kind.subscription_token().is_some();
                    let asks = kind.query_token().is_some() && !subscribes;
                    let listens = subscribes && may_have == Operations::QueriesAndSubscriptions;
                    kind.mutation_token().is_none() && (asks || listens)
                });
                if !queries {
                    return false;
                }
                operations += 1;
            }
            Definition::FragmentDefinition(_) => {}
            // Types are for a server's own files.
            _ => return false,
        }
    }
    operations > 0
}

#[cfg(test)]
#[path = "graphql_tests.rs"]
mod tests;
