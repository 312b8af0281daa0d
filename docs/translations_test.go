package docs_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// firstParts are the documents of which only the first part is in Chinese, with the
// heading at which that part ends.
var firstParts = map[string]string{
	"docs/migration.md": "What behaves differently",
}

// originalOf returns the English document of a Chinese one, and "" for other files.
// The Chinese document of x.md is x.zh.md, or x.md in a folder zh. The English one is
// beside that folder, or in the folder en beside it if that exists.
func originalOf(tree fs.FS, name string) string {
	folder, file := path.Split(name)
	if english, chinese := strings.CutSuffix(file, ".zh.md"); chinese {
		return folder + english + ".md"
	}
	above, chinese := strings.CutSuffix(folder, "zh/")
	if !chinese || path.Ext(file) != ".md" || above != "" && !strings.HasSuffix(above, "/") {
		return ""
	}
	if _, err := fs.Stat(tree, above+"en"); err == nil {
		return above + "en/" + file
	}
	return above + file
}

// translations: a Chinese document has an English one with the same headings by number
// and level, the same code blocks, and tables of the same size.
func translations(t *testing.T, tree fs.FS) (violations []string) {
	all := map[string]string{}
	for _, d := range documents(t, tree) {
		all[d.name] = d.text
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		original := originalOf(tree, name)
		if original == "" {
			continue
		}
		text, exists := all[original]
		if !exists {
			violations = append(violations, fmt.Sprintf("%s has no English document %s", name, original))
			continue
		}
		english, chinese := outlineOf(original, text), outlineOf(name, all[name])
		if end := firstParts[original]; end != "" && !english.cutAt(end) {
			violations = append(violations, fmt.Sprintf("%s has no heading %q, at which the part that is in Chinese ends", original, end))
			continue
		}
		for _, difference := range []string{differentHeading(english, chinese), differentBlock(english, chinese), differentTable(english, chinese)} {
			if difference != "" {
				violations = append(violations, difference)
			}
		}
	}
	return violations
}

// outline has the elements of a document, in order.
type outline struct {
	name                     string
	headings, blocks, tables []element
}

// element is a heading, with its level and the prose below it; a code block, with its
// fences; or a table, with its rows.
type element struct {
	line, level int
	text, prose string
}

var (
	headingLine = regexp.MustCompile(`^(#{1,6}) +(.*)$`)
	fenceLine   = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})(.*)$")
)

// outlineOf reads a document line by line. A code block ends at a fence that is at
// least as long as the one at its beginning.
func outlineOf(name, text string) outline {
	o := outline{name: name}
	fence, inTable := "", false
	for i, line := range strings.Split(text, "\n") {
		found := fenceLine.FindStringSubmatch(line)
		switch heading := headingLine.FindStringSubmatch(line); {
		case fence != "":
			last := &o.blocks[len(o.blocks)-1]
			last.text += line + "\n"
			if found != nil && strings.HasPrefix(found[1], fence) && strings.TrimSpace(found[2]) == "" {
				fence = ""
			}
		case found != nil:
			fence = found[1]
			o.blocks = append(o.blocks, element{line: i + 1, text: line + "\n"})
		case heading != nil:
			o.headings = append(o.headings, element{line: i + 1, level: len(heading[1]), text: heading[2]})
		case strings.HasPrefix(line, "|") && inTable:
			o.tables[len(o.tables)-1].text += line + "\n"
		case strings.HasPrefix(line, "|"):
			o.tables = append(o.tables, element{line: i + 1, text: line + "\n"})
		}
		inTable = fence == "" && strings.HasPrefix(line, "|")
		if fence == "" && found == nil && len(o.headings) > 0 {
			o.headings[len(o.headings)-1].prose += line + "\n"
		}
	}
	return o
}

// cutAt removes a heading and what follows it. It reports whether there is such a
// heading.
func (o *outline) cutAt(heading string) bool {
	at := slices.IndexFunc(o.headings, func(e element) bool { return e.text == heading })
	if at < 0 {
		return false
	}
	after := func(e element) bool { return e.line >= o.headings[at].line }
	o.blocks = slices.DeleteFunc(o.blocks, after)
	o.tables = slices.DeleteFunc(o.tables, after)
	o.headings = o.headings[:at]
	return true
}

// differentHeading describes the first heading that has another level, or that only
// one of the documents has.
func differentHeading(english, chinese outline) string {
	show := func(e element) string { return strings.Repeat("#", e.level) + " " + e.text }
	for i := range max(len(english.headings), len(chinese.headings)) {
		switch en, zh := at(english.headings, i), at(chinese.headings, i); {
		case zh.line == 0:
			return fmt.Sprintf("%s: no heading for %s:%d, %q", chinese.name, english.name, en.line, show(en))
		case en.line == 0:
			return fmt.Sprintf("%s:%d: heading %q: %s has only %d headings", chinese.name, zh.line, show(zh), english.name, i)
		case en.level != zh.level:
			return fmt.Sprintf("%s:%d: heading %d is %q, and in %s:%d it is %q", chinese.name, zh.line, i+1, show(zh), english.name, en.line, show(en))
		}
	}
	return ""
}

// differentBlock describes the first code block that is not identical.
func differentBlock(english, chinese outline) string {
	for i := range max(len(english.blocks), len(chinese.blocks)) {
		switch en, zh := at(english.blocks, i), at(chinese.blocks, i); {
		case zh.line == 0:
			return fmt.Sprintf("%s: no code block for %s:%d", chinese.name, english.name, en.line)
		case en.line == 0:
			return fmt.Sprintf("%s:%d: code block: %s has only %d code blocks", chinese.name, zh.line, english.name, i)
		case en.text != zh.text:
			ours, theirs := strings.Split(zh.text, "\n"), strings.Split(en.text, "\n")
			first := 0
			for first < min(len(ours), len(theirs))-1 && ours[first] == theirs[first] {
				first++
			}
			return fmt.Sprintf("%s:%d: code block %d is not that of %s: line %d is %q, and line %d there is %q",
				chinese.name, zh.line, i+1, english.name, zh.line+first, ours[first], en.line+first, theirs[first])
		}
	}
	return ""
}

// differentTable describes the first table that has another number of rows or columns.
func differentTable(english, chinese outline) string {
	size := func(e element) string {
		header, _, _ := strings.Cut(e.text, "\n")
		return fmt.Sprintf("%d lines and %d columns", strings.Count(e.text, "\n"), strings.Count(header, "|")-1)
	}
	for i := range max(len(english.tables), len(chinese.tables)) {
		switch en, zh := at(english.tables, i), at(chinese.tables, i); {
		case zh.line == 0:
			return fmt.Sprintf("%s: no table for %s:%d", chinese.name, english.name, en.line)
		case en.line == 0:
			return fmt.Sprintf("%s:%d: table: %s has only %d tables", chinese.name, zh.line, english.name, i)
		case size(en) != size(zh):
			return fmt.Sprintf("%s:%d: table %d has %s, and in %s:%d it has %s", chinese.name, zh.line, i+1, size(zh), english.name, en.line, size(en))
		}
	}
	return ""
}

// at returns an element, or a zero one beyond the last.
func at(all []element, i int) (e element) {
	if i < len(all) {
		e = all[i]
	}
	return e
}

func TestChineseDocumentsMatchTheEnglishOnes(t *testing.T) { sourcetree.Rule(translations).Holds(t) }

func TestTheRuleForTranslationsCanFail(t *testing.T) {
	const english = "# One\n\ntext\n\n```go\na := 1 // # no heading\n```\n\n## Two\n\n| a | b |\n|---|---|\n| c | d |\n\n````text\n```\n````\n"
	same := strings.NewReplacer("One", "一", "Two", "二", "text\n\n", "正文\n\n", "c | d", "丙 | 丁").Replace(english)
	tree := func(files ...string) fstest.MapFS {
		made := fstest.MapFS{"go.mod": sourcetree.Text("module x\n")}
		for i := 0; i < len(files); i += 2 {
			made[files[i]] = sourcetree.Text(files[i+1])
		}
		return made
	}
	rule := sourcetree.Rule(translations)
	for _, pair := range [][2]string{
		{"README.md", "README.zh.md"}, {"learn/README.md", "learn/README.zh.md"}, {"docs/faq.md", "docs/zh/faq.md"},
		{"docs/README.md", "docs/zh/README.md"}, {"learn/x/en/01-a.md", "learn/x/zh/01-a.md"},
	} {
		rule.Passes(t, tree(pair[0], english, pair[1], same))
		rule.Breaks(t, tree(pair[0], english, pair[1], same+"### more\n"), pair[1], `"### more"`)
	}
	rule.Breaks(t, tree("learn/x/en/01-a.md", english, "learn/x/zh/01-b.md", same), "no English document learn/x/en/01-b.md")
	for _, c := range []struct{ old, new, words string }{
		{"## 二", "### 二", `heading 2 is "### 二"`},
		{"## 二\n", "", `no heading for README.md:9, "## Two"`},
		{"a := 1", "a := 2", `line 6 is "a := 2 // # no heading", and line 6 there is "a := 1 // # no heading"`},
		{"```go", "```", `line 5 is "` + "```" + `"`},
		{"````text\n```\n````\n", "", "no code block for README.md:15"},
		{"丙 | 丁 |\n", "丙 | 丁 |\n| 戊 | 己 |\n", "table 1 has 4 lines"},
		{"| a | b |\n|---|---|\n| 丙 | 丁 |\n", "", "no table for README.md:11"},
	} {
		rule.Breaks(t, tree("README.md", english, "README.zh.md", strings.Replace(same, c.old, c.new, 1)), "README.zh.md", c.words)
	}
	rule.Breaks(t, tree("README.md", english, "README.zh.md", same+"```\nmore\n```\n"), "README.zh.md:18: code block")

	part := english + "## What behaves differently\n\n```\nrest\n```\n"
	rule.Passes(t, tree("docs/migration.md", part, "docs/zh/migration.md", same))
	rule.Breaks(t, tree("docs/migration.md", english, "docs/zh/migration.md", same), "What behaves differently")
	rule.Breaks(t, tree("docs/faq.md", english+"## What behaves differently\n", "docs/zh/faq.md", same), "no heading")
}
