//! Shortening of messages about values.

/// A message that does not echo all of a long value.
pub(super) fn shortened(mut message: String) -> String {
    const MOST: usize = 400;
    if let Some((at, _)) = message.char_indices().nth(MOST) {
        message.truncate(at);
        message.push('…');
    }
    message
}
