//! How wide a text will be, roughly, so that labels can be kept apart without asking a browser.

/// The width of a text in 13 pixel letters, as a wide font sets it: rather too much than too little.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

/// The text, cut with an ellipsis where it is wider than the room.
pub(super) fn fit(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_string();
    }
    let mut used = letter('…');
    let fits = |c: &char| {
        used += letter(*c);
        used <= room
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push('…');
    cut
}

fn letter(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '\'' | '|' | '!' | ' ' => 4.8,
        'f' | 't' | 'r' | '-' | '(' | ')' => 5.5,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 13.0,
        c if !c.is_ascii() => 13.5,
        c if c.is_ascii_uppercase() => 9.8,
        _ => 8.4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_only_when_it_must() {
        assert_eq!(fit("short", 100.0), "short");
        let cut = fit("a rather long name of a run", 100.0);
        assert!(cut.ends_with('…') && width(&cut) <= 100.0, "{cut}");
    }
}
