use super::*;
use std::fs;

#[test]
fn every_profile_is_sound_and_whole() {
    let names: Vec<String> = Templates::built_in().texts.into_keys().collect();
    assert_eq!(names.len(), 13);
    for profile in Profile::ALL {
        let templates = Templates::of(profile);
        assert_eq!(templates.texts.keys().cloned().collect::<Vec<_>>(), names, "{profile}");
        for (name, text) in &templates.texts {
            assert_eq!(Templates::check(name, text), Ok(()), "{profile}");
        }
        assert_eq!(profile.name().parse(), Ok(profile));
    }
    assert!("tiny".parse::<Profile>().unwrap_err().contains("choose default, small or base"));
}

#[test]
fn a_template_that_loops_for_long_is_refused_in_time() {
    let began = std::time::Instant::now();
    let text = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
    let error = Templates::check("extract", text).unwrap_err();
    assert!(error.message.contains("loops for too long"), "{error:?}");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn everything_wrong_is_named_with_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write("a.yaml", "extract: |\n  Say {{ queston }} twice.\n");
    write("b.yaml", "# mine\n\nmatch: |\n  one\n  {% for x in %}\n");
    write("c.yaml", "default: \"a\nb: [\n");
    write("d.yaml", "path: |\n  {{ path }}\nnonsense: x\n");
    write("e.yaml", "select_entities: |\n  {% for e in entities %}\n  {{ e.f.g }}\n  {% endfor %}\n");
    write("f.yaml", "# no options\nselect_relation: |\n  Which relation?\n");
    write("g.yaml", "question: |\n  {% if false %}\n  {{ questoin }}\n  {% endif %}\n  {{ question }}\n");
    write("h.yml", "path: '{{ path }}'\n");
    write("i.yaml", "evaluate_answer: 'Right? {{ anwser }}'\n");
    write("j.yaml", "extract: [1]\n");
    write("notes.txt", "default: ignored");
    let flaws = Templates::load(Profile::Default, dir.path()).unwrap_err();
    let lines: Vec<String> = flaws.0.iter().map(ToString::to_string).collect();
    let expected = [
        ("a.yaml, line 2: ", "no variable `queston`; there are aggregate, answer"),
        ("b.yaml, line 5: ", "syntax error"),
        ("c.yaml, line ", "a mapping of template names to texts is expected"),
        ("d.yaml, line 3: ", "no prompt template `nonsense`; there are default, "),
        ("e.yaml, line 3: ", ""),
        ("f.yaml, line 3: ", "`relations` does not occur"),
        ("g.yaml, line 3: ", "no variable `questoin`"),
        ("h.yml, line 1: ", "`path` stands in "),
        ("i.yaml, line 1: ", "no variable `anwser`"),
        ("j.yaml, line 1", "invalid type"),
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, (place, what)) in lines.iter().zip(expected) {
        assert!(line.contains(place) && line.contains(what), "{line}: {place}{what}");
    }
    let missing = Templates::load(Profile::Default, Path::new("no/such/folder")).unwrap_err();
    assert!(missing.to_string().starts_with("no/such/folder: "), "{missing}");
}

#[test]
fn a_file_may_overlay_one_template_of_any_profile() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine.yaml"), "# mine\ndefault: |\n  Mine.\n").unwrap();
    fs::write(dir.path().join("none.yaml"), "# nothing here yet\n").unwrap();
    for profile in Profile::ALL {
        let templates = Templates::load(profile, dir.path()).unwrap();
        assert_eq!(templates.text("default"), "Mine.\n");
        assert!(templates.is_overlaid("default") && !templates.is_overlaid("extract"));
        assert_eq!(templates.text("extract"), Templates::of(profile).text("extract"));
    }
}

#[test]
fn a_session_keeps_them_and_older_ones_read() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine.yaml"), "default: Mine.\n").unwrap();
    for templates in [Templates::built_in(), Templates::of(Profile::Base), Templates::load(Profile::Small, dir.path()).unwrap()] {
        let kept = serde_json::to_string(&templates).unwrap();
        assert_eq!(serde_json::from_str::<Templates>(&kept).unwrap(), templates);
    }
    let older: Templates = serde_json::from_str(r#"{"default":"Do.","path":"[]"}"#).unwrap();
    assert_eq!((older.profile(), older.text("default"), older.is_overlaid("default")), (Profile::Default, "Do.", false));
}

#[test]
fn a_template_is_saved_once_and_never_over_something_else() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("tot/prompts");
    let text = "  Indented: \"{{ question }}\"\n# and: 'more' \\ {{ think }}";
    let Ok(Saved::Written(path)) = save(&dir, "default", text, false) else { panic!("not written") };
    assert_eq!(path, dir.join("default.yaml"));
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(Templates::load(Profile::Small, &dir).unwrap().text("default"), format!("{text}\n"));
    assert_eq!(save(&dir, "default", text, false), Ok(Saved::Written(path.clone())), "the same again changes nothing");
    assert_eq!(save(&dir, "default", "Other.", false), Ok(Saved::Exists(path.clone())));
    assert!(fs::read_to_string(&path).unwrap().contains("Indented"));
    assert_eq!(save(&dir, "default", "Other.", true), Ok(Saved::Written(path.clone())));
    assert_eq!(Templates::load(Profile::Default, &dir).unwrap().text("default"), "Other.\n");
    assert!(save(&dir, "match", "{{ mention }}", true).unwrap_err().contains("`candidates` does not occur"));
    fs::write(dir.join("extract.yaml"), "extract: a\npath: '{{ path }}'\n").unwrap();
    assert!(save(&dir, "extract", "Other.", true).unwrap_err().contains("holds other templates too"));
    assert!(save(&dir, "path", "{{ path }} !", true).unwrap_err().contains("stands in "));
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2, "no draft is left");
}
