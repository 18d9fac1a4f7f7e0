//! Prints the JSON schema of the protocol's messages: docs/book/src/external.schema.json.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    println!("{:#}", external::message::schema());
}
