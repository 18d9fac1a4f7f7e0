//! Prints the JSON schema of the protocol's messages: docs/book/src/external.schema.json.

fn main() {
    println!("{:#}", external::message::schema());
}
