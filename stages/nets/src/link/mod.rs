//! Provides the functions that the stages of the papers call to train their networks: each module fills in
//! one function of `stages::papers`, and a stage names the module that provides it (`carried_out_by!`). None names this
//! one, which reaches the networks of all papers: an edit of one would be in the keys of all.

mod harmonica;
mod hypertune;
mod images;
mod text;

/// Enables this program to train networks.
pub fn link() {
    harmonica::link();
    hypertune::link();
    images::link();
    text::link();
}
