use super::load::read;
use super::*;
use ratatui::style::{Color, Modifier};

#[test]
fn the_built_in_themes_are_whole_and_without_warnings() {
    let files = [
        ("dark", include_str!("../../../themes/dark.yaml")),
        ("light", include_str!("../../../themes/light.yaml")),
        ("terminal", include_str!("../../../themes/terminal.yaml")),
    ];
    for (file, text) in files {
        let (theme, warnings) = read(text, file, &Theme::default());
        assert_eq!(warnings, [], "{file}");
        assert_eq!(theme.unwrap().name, file);
        for role in Role::ALL {
            assert!(text.contains(&format!("  {}:", role.name())), "{file} lacks {}", role.name());
        }
    }
}

#[test]
fn a_broken_theme_warns_with_the_line_and_the_default_stays() {
    let default = Theme::default();
    let text = "name: mine\nstyles:\n  accent: {fg: nosuch}\n  wrong_name: {fg: red}\n  error: {fg: light_red, bold: true}\n  dim: 3\n";
    let (theme, warnings) = read(text, "mine.yaml", &default);
    let theme = theme.unwrap();
    assert_eq!(theme.style(Role::Accent), default.style(Role::Accent));
    assert_eq!(theme.style(Role::Error).fg, Some(Color::LightRed));
    let lines: Vec<usize> = warnings.iter().map(|w| w.line).collect();
    assert_eq!(lines, [3, 4, 6], "{warnings:?}");
    assert!(warnings[0].to_string().starts_with("mine.yaml:3: `nosuch`"), "{}", warnings[0]);

    let (none, warnings) = read("styles: [\n  oops", "bad.yaml", &default);
    assert!(none.is_none());
    assert!(warnings[0].line >= 1);
}

#[test]
fn an_unknown_theme_leaves_the_default_in_use() {
    let (themes, warnings) = Themes::new(Some("/nowhere/at/all.yaml"), Depth::True);
    assert_eq!(themes.current().name, "dark");
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].to_string().contains("dark"));
}

#[test]
fn cycling_comes_round() {
    let (mut themes, _) = Themes::new(None, Depth::True);
    let first = themes.current().name.clone();
    themes.cycle();
    assert_ne!(themes.current().name, first);
    themes.cycle();
    themes.cycle();
    assert_eq!(themes.current().name, first);
}

#[test]
fn no_colour_leaves_only_modifiers() {
    for theme in built_in() {
        let theme = theme.fitted(Depth::None);
        for role in Role::ALL {
            let style = theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None), "{}", role.name());
        }
        assert!(theme.style(Role::Selection).add_modifier.contains(Modifier::REVERSED), "the selection stays visible");
    }
}

#[test]
fn sixteen_colours_use_no_rgb_and_keep_the_scale_apart() {
    for theme in built_in().into_iter().filter(|theme| theme.name != "terminal") {
        let theme = theme.fitted(Depth::Sixteen);
        for role in Role::ALL {
            assert!(!matches!(theme.style(*role).fg, Some(Color::Rgb(..) | Color::Indexed(_))), "{}", role.name());
            assert_eq!(theme.style(*role).bg, None);
        }
        let bright = theme.name == "dark";
        assert_eq!(theme.style(Role::Value0).fg, Some(if bright { Color::LightRed } else { Color::Red }), "{}", theme.name);
        assert_eq!(theme.style(Role::Value3).fg, Some(if bright { Color::LightGreen } else { Color::Green }));
        assert_eq!(theme.style(Role::Accent).fg, Some(if bright { Color::LightBlue } else { Color::Blue }));
        assert_eq!(theme.style(Role::Border).fg, Some(Color::DarkGray), "{}", theme.name);
        assert!(theme.style(Role::Selection).add_modifier.contains(Modifier::REVERSED));
        assert_ne!(theme.style(Role::Kg0).fg, theme.style(Role::Kg1).fg);
    }
}

#[test]
fn the_environment_decides_the_depth() {
    let depth = |vars: &'static [(&str, &str)]| {
        Depth::of_environment(|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    };
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Depth::True);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")]), Depth::None);
    assert_eq!(depth(&[("TERM", "screen-256color"), ("NO_COLOR", "")]), Depth::Indexed);
    assert_eq!(depth(&[("TERM", "linux")]), Depth::Sixteen);
    assert_eq!(depth(&[("TERM", "dumb")]), Depth::None);
}

#[test]
fn a_light_ground_is_recognized() {
    let light = |value: &'static str| Depth::ground_is_light(|name| (name == "COLORFGBG").then(|| value.to_owned()));
    assert!(light("0;15") && light("0;default;7"));
    assert!(!light("15;0") && !light(""));
    assert!(!Depth::ground_is_light(|_| None));
}
