//! What the compiler makes code of in a Rust file, as a text: no comments, white space or tests.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What is left of a file.
#[derive(Default)]
pub struct Tokens {
    /// One line for each token. Two files have equal texts only if the compiler sees the same.
    pub text: String,
    /// Modules in files of their own that are for tests only.
    pub tests: Vec<String>,
}

/// The tokens of a file without documentation and without items under `#[cfg(test)]`. `None` if it is not Rust, or if
/// what it does can depend on the lines that it is written in.
pub fn of(text: &str) -> Option<Tokens> {
    let mut out = Tokens::default();
    let has_no_place = out.add(text.parse().ok()?, false);
    let Tokens { text, tests } = &mut out;
    tests.retain(|name| !text.contains(&format!("\nmod\n{name}\n;")));
    has_no_place.then_some(out)
}

impl Tokens {
    /// Adds all tokens of a group. In what a macro is given, tests count: it can make something else of them.
    fn add(&mut self, stream: TokenStream, in_macro: bool) -> bool {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            if let Some(length) = self.dropped(&trees[at..], in_macro) {
                at += length;
                continue;
            }
            match &trees[at] {
                TokenTree::Group(group) => {
                    let [open, close] = match group.delimiter() {
                        Delimiter::Parenthesis => ["(", ")"],
                        Delimiter::Brace => ["{", "}"],
                        Delimiter::Bracket => ["[", "]"],
                        Delimiter::None => ["", ""],
                    };
                    self.line(open);
                    // as in `name! { .. }` or `macro_rules! name { .. }`
                    let of_macro = (1..=2).any(|back| at >= back && is_punct(&trees[at - back], '!'));
                    if !self.add(group.stream(), in_macro || of_macro) {
                        return false;
                    }
                    self.line(close);
                }
                TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint => self.text.push(punct.as_char()),
                TokenTree::Ident(word) if word == "line" || word == "column" => {
                    if trees.get(at + 1).is_some_and(|next| is_punct(next, '!')) {
                        return false;
                    }
                    self.line(&word.to_string());
                }
                other => self.line(&other.to_string()),
            }
            at += 1;
        }
        true
    }

    fn line(&mut self, token: &str) {
        self.text.push_str(token);
        self.text.push('\n');
    }

    /// How many of the next tokens do not count.
    fn dropped(&mut self, trees: &[TokenTree], in_macro: bool) -> Option<usize> {
        let (length, attribute) = attribute(trees)?;
        if attribute.starts_with("doc=") || attribute.starts_with("doc(") {
            return Some(length);
        }
        let is_test = attribute == "cfg(test)" && is_group(&trees[1]) && !in_macro;
        let item = if is_test { &trees[length..] } else { return None };
        let end = end_of(item)?;
        if let [.., TokenTree::Ident(module), TokenTree::Ident(name), last] = &item[..end]
            && module == "mod"
            && is_punct(last, ';')
        {
            self.tests.push(name.to_string());
        }
        Some(length + end)
    }
}

/// The attribute that begins here, such as `cfg(test)`, without white space, and how many tokens it has.
fn attribute(trees: &[TokenTree]) -> Option<(usize, String)> {
    let at = match trees {
        [hash, group, ..] if is_punct(hash, '#') && is_group(group) => 1,
        [hash, bang, group, ..] if is_punct(hash, '#') && is_punct(bang, '!') && is_group(group) => 2,
        _ => return None,
    };
    let TokenTree::Group(group) = &trees[at] else { return None };
    Some((at + 1, group.stream().to_string().replace(' ', "")))
}

/// How many tokens the item has that begins here, at most. `None` if its end is not plain to see.
fn end_of(trees: &[TokenTree]) -> Option<usize> {
    let mut at = 0;
    while let Some((length, attribute)) = attribute(&trees[at..]) {
        if attribute.starts_with("path=") {
            return None;
        }
        at += length;
    }
    let word = |at: usize| match trees.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    if word(at) == "pub" {
        at += if trees.get(at + 1).is_some_and(is_group) { 2 } else { 1 };
    }
    let has_body = match word(at).as_str() {
        "fn" | "mod" | "struct" | "enum" | "trait" | "impl" => true,
        "const" if word(at + 1) == "fn" => true,
        "const" | "static" | "type" | "use" => false,
        _ => return None,
    };
    let is_body = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let last = trees[at..].iter().position(|tree| is_punct(tree, ';') || has_body && is_body(tree))?;
    Some(at + last + 1)
}

fn is_punct(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_group(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(_))
}
