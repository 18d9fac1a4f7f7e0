//! Reads files of Python's `pickle` that hold plain data: dictionaries with text keys, lists, texts and
//! floating-point numbers, as protocol 4 writes them. A pickle is a program of a stack machine; the reader
//! knows the twelve instructions that such data need and refuses every other. It can therefore not call
//! anything, which pickles otherwise can.

/// A value of a pickle.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A floating-point number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A dictionary, in the order of the file; keys may repeat.
    Map(Vec<(String, Value)>),
}

/// Dictionaries and lists that are being filled at the same time: more nesting is refused.
const DEEPEST: usize = 16;

/// The value that the file holds.
///
/// # Errors
/// What the reader stumbled on, with its place in bytes from the start.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    let mut machine =
        Machine { bytes, at: 0, stack: Vec::new(), marks: Vec::new(), memo: Vec::new() };
    loop {
        let start = machine.at;
        match machine.step() {
            Ok(None) => {}
            Ok(Some(value)) => return Ok(value),
            Err(what) => return Err(format!("at byte {start}: {what}")),
        }
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value>,
    /// Heights of the stack.
    marks: Vec<usize>,
    /// Texts that may be called up again; nothing else may, which is `None`.
    memo: Vec<Option<String>>,
}

impl Machine<'_> {
    /// Carries out one instruction; the value, if it was the last.
    fn step(&mut self) -> Result<Option<Value>, String> {
        let [code] = self.take()?;
        match code {
            // PROTO
            0x80 => {
                let [version] = self.take()?;
                if version != 4 {
                    return Err(format!("protocol {version}, expected 4"));
                }
            }
            // FRAME: the length of what can be read at once.
            0x95 => drop(self.take::<8>()?),
            b'}' => self.stack.push(Value::Map(Vec::new())),
            b']' => self.stack.push(Value::List(Vec::new())),
            // BINFLOAT
            b'G' => {
                let number = f64::from_be_bytes(self.take()?);
                self.stack.push(Value::Number(number));
            }
            // SHORT_BINUNICODE
            0x8c => {
                let [length] = self.take()?;
                let text = self.slice(length.into())?.to_vec();
                let text = String::from_utf8(text).map_err(|_| "a text is not UTF-8".to_owned())?;
                self.stack.push(Value::Text(text));
            }
            // MEMOIZE
            0x94 => {
                let top = self.stack.last().ok_or("nothing to remember")?;
                let text = if let Value::Text(text) = top { Some(text.clone()) } else { None };
                self.memo.push(text);
            }
            // BINGET
            b'h' => {
                let [place] = self.take()?;
                let text = self.memo.get(usize::from(place)).cloned().flatten();
                self.stack.push(Value::Text(text.ok_or("it calls up what is no text")?));
            }
            b'(' => {
                if self.marks.len() == DEEPEST {
                    return Err(format!("more than {DEEPEST} levels"));
                }
                self.marks.push(self.stack.len());
            }
            // APPENDS
            b'e' => {
                let items = self.items()?;
                let Some(Value::List(list)) = self.stack.last_mut() else {
                    return Err("it appends to what is no list".to_owned());
                };
                list.extend(items);
            }
            // SETITEMS
            b'u' => self.set_items()?,
            // STOP
            b'.' => {
                let value = self.stack.pop().ok_or("it ends without a value")?;
                let done = self.stack.is_empty() && self.marks.is_empty();
                let done = done && self.at == self.bytes.len();
                return if done { Ok(Some(value)) } else { Err("it ends too early".to_owned()) };
            }
            other => return Err(format!("instruction {other:#04x} is none of plain data")),
        }
        Ok(None)
    }

    fn set_items(&mut self) -> Result<(), String> {
        let mut items = self.items()?.into_iter();
        let Some(Value::Map(map)) = self.stack.last_mut() else {
            return Err("it sets items of what is no dictionary".to_owned());
        };
        while let Some(key) = items.next() {
            let (Value::Text(key), Some(value)) = (key, items.next()) else {
                return Err("a key is no text, or has no value".to_owned());
            };
            map.push((key, value));
        }
        Ok(())
    }

    /// What was pushed since the last mark.
    fn items(&mut self) -> Result<Vec<Value>, String> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len());
        Ok(self.stack.split_off(mark.ok_or("there is no mark")?))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.slice(N)?.try_into().map_err(|_| "the file ends".to_owned())
    }

    fn slice(&mut self, length: usize) -> Result<&[u8], String> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or("the file ends")?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `pickle.dumps({"a": [1.5, -2.0], "b": {"a": [0.0, 3.0], "b": [1.0, 2.0]}}, protocol=4)` of Python 3.11.
    const SMALL: &[u8] =
        b"\x80\x04\x95\x57\0\0\0\0\0\0\0}\x94(\x8c\x01a\x94]\x94(G\x3f\xf8\0\0\0\0\0\0\
        G\xc0\0\0\0\0\0\0\0e\x8c\x01b\x94}\x94(h\x01]\x94(G\0\0\0\0\0\0\0\0G\x40\x08\0\0\0\0\0\0e\
        h\x03]\x94(G\x3f\xf0\0\0\0\0\0\0G\x40\0\0\0\0\0\0\0euu.";

    #[test]
    fn plain_data_are_read_as_python_wrote_them() {
        let list =
            |values: &[f64]| Value::List(values.iter().copied().map(Value::Number).collect());
        let inner = [("a", [0.0, 3.0]), ("b", [1.0, 2.0])];
        let inner = inner.map(|(key, values)| (key.to_owned(), list(&values)));
        let inner = Value::Map(inner.to_vec());
        let all = vec![("a".to_owned(), list(&[1.5, -2.0])), ("b".to_owned(), inner)];
        assert_eq!(read(SMALL), Ok(Value::Map(all)));
    }

    #[test]
    fn what_could_call_something_is_refused() {
        // GLOBAL, as in every pickle that runs a command.
        let error = read(b"\x80\x04cos\nsystem\n.").unwrap_err();
        assert_eq!(error, "at byte 2: instruction 0x63 is none of plain data");
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = [b"\x80\x04".to_vec(), b"](".repeat(100)].concat();
        assert_eq!(read(&deep).unwrap_err(), "at byte 35: more than 16 levels");
    }

    proptest! {
        /// Whatever is cut off or changed, there is an error or a value, never a panic.
        #[test]
        fn broken_files_are_survived(at in 0..SMALL.len(), byte: u8, cut in 0..SMALL.len()) {
            prop_assert!(read(&SMALL[..cut]).is_err());
            let mut broken = SMALL.to_vec();
            broken[at] = byte;
            let _ = read(&broken);
        }
    }
}
