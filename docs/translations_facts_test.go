package docs_test

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

var (
	codeSpan = regexp.MustCompile("`[^`\n]+`")
	figure   = regexp.MustCompile(`\d[\d.,]*\d`)
)

// facts: each section of a Chinese document in docs/ or in the root has the code spans
// and the figures of the English section. Error messages, names and commands are code
// spans.
func facts(t *testing.T, tree fs.FS) (violations []string) {
	for _, d := range documents(t, tree) {
		original := originalOf(tree, d.name)
		if original == "" || path.Dir(original) != "." && !sourcetree.Within(path.Dir(original), "docs") {
			continue
		}
		text, err := fs.ReadFile(tree, original)
		if err != nil {
			t.Fatal(err)
		}
		english, chinese := outlineOf(original, string(text)), outlineOf(d.name, d.text)
		if end := firstParts[original]; end != "" {
			english.cutAt(end)
		}
		for i := range min(len(english.headings), len(chinese.headings)) { // translations counts them
			en, zh := english.headings[i], chinese.headings[i]
			for _, fact := range missing(factsOf(en.prose), factsOf(zh.prose)) {
				violations = append(violations, fmt.Sprintf("%s:%d: section %q does not have %s of %s:%d", d.name, zh.line, zh.text, fact, original, en.line))
			}
			for _, fact := range missing(factsOf(zh.prose), factsOf(en.prose)) {
				violations = append(violations, fmt.Sprintf("%s:%d: section %q has %s, and %s:%d does not", d.name, zh.line, zh.text, fact, original, en.line))
			}
		}
	}
	return violations
}

// factsOf returns the code spans of a section, and the numbers outside of them that have
// more than one digit.
func factsOf(prose string) map[string]bool {
	facts := map[string]bool{}
	for _, span := range codeSpan.FindAllString(prose, -1) {
		facts[span] = true
	}
	plain := codeSpan.ReplaceAllString(prose, "")
	plain = link.ReplaceAllString(plain, "")
	for _, number := range figure.FindAllString(plain, -1) {
		facts[number] = true
	}
	return facts
}

// missing returns the facts that are not among the others.
func missing(facts, others map[string]bool) (found []string) {
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		if !others[fact] {
			found = append(found, fact)
		}
	}
	return found
}

// linksInLanguage: a link in a Chinese document leads to the Chinese version of its
// target, if that has one. Only a link to the English version of the document itself and
// one to a heading that is not in Chinese lead to the English one.
func linksInLanguage(t *testing.T, tree fs.FS) (violations []string) {
	chinese := map[string]string{} // by the English document
	for _, d := range documents(t, tree) {
		if original := originalOf(tree, d.name); original != "" {
			chinese[original] = d.name
		}
	}
	for original, name := range chinese {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(document{name, string(text)}.prose(), -1) {
			target, err := url.Parse(found[1])
			if err != nil || target.Scheme != "" || target.Path == "" {
				continue
			}
			to := path.Join(path.Dir(name), target.Path)
			if to == original || chinese[to] == "" || firstParts[to] != "" && target.Fragment != "" && afterFirstPart(t, tree, to, target.Fragment) {
				continue
			}
			violations = append(violations, fmt.Sprintf("%s: link %s: the page is also in Chinese: %s", name, found[1], chinese[to]))
		}
	}
	slices.Sort(violations)
	return violations
}

// afterFirstPart reports whether a fragment is a heading of the part of a document that
// is not in Chinese.
func afterFirstPart(t *testing.T, tree fs.FS, name, fragment string) bool {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n## "+firstParts[name]+"\n")
	for line := range strings.Lines(first) {
		if heading := headingLine.FindStringSubmatch(strings.TrimSpace(line)); heading != nil && slug(heading[2]) == fragment {
			return false
		}
	}
	return true
}

func TestChineseDocumentsHaveTheFactsOfTheEnglishOnes(t *testing.T) {
	sourcetree.Rule(facts).Holds(t)
}

func TestChineseDocumentsLinkToChineseOnes(t *testing.T) { sourcetree.Rule(linksInLanguage).Holds(t) }

func TestTheRulesForTheContentOfTranslationsCanFail(t *testing.T) {
	pair := func(english, chinese string) fstest.MapFS {
		return fstest.MapFS{
			"go.mod": sourcetree.Text("module x\n"), "docs/a.md": sourcetree.Text(english), "docs/zh/a.md": sourcetree.Text(chinese),
			"docs/b.md": sourcetree.Text("# B\n"), "docs/c.md": sourcetree.Text("# C\n"), "docs/zh/c.md": sourcetree.Text("# 丙\n"),
			"docs/migration.md":    sourcetree.Text("# M\n\n### Own\n\n## What behaves differently\n"),
			"docs/zh/migration.md": sourcetree.Text("# M\n\n### 自己\n"),
		}
	}
	const english = "# A\n\nThe error `a: b` after 12 seconds, 3 times.\n\n```\n99\n```\n\n## B\n\ntext\n"
	const chinese = "# 甲\n\n12 秒之后出错三次：`a: b`。\n\n## 乙\n\n正文\n"
	sourcetree.Rule(facts).Passes(t, pair(english, chinese))
	for _, c := range []struct{ old, new, words string }{
		{"`a: b`", "错误", "does not have `a: b` of docs/a.md:1"},
		{"12", "几", `section "甲" does not have 12`},
		{"正文", "`f`", "docs/zh/a.md:5: section \"乙\" has `f`, and docs/a.md:9 does not"},
		{"正文", "1.5 倍", "has 1.5"},
	} {
		sourcetree.Rule(facts).Breaks(t, pair(english, strings.Replace(chinese, c.old, c.new, 1)), c.words)
	}
	for _, fine := range []string{"../a.md", "../b.md", "c.md", "https://go.dev/c.md", "../migration.md#what-behaves-differently"} {
		sourcetree.Rule(linksInLanguage).Passes(t, pair(english, "# 甲\n\n["+fine+"]("+fine+")\n"))
	}
	for _, wrong := range []string{"../c.md", "../c.md#c", "../migration.md", "../migration.md#own"} {
		sourcetree.Rule(linksInLanguage).Breaks(t, pair(english, "# 甲\n\n["+wrong+"]("+wrong+")\n"), "docs/zh/a.md: link "+wrong)
	}
}
