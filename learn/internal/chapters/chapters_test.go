package chapters_test

import (
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/chapters"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/signature"
	"github.com/thinformer/thinformer/learn/internal/steps"
)

var rewrite = flag.Bool("rewrite", false, "write the excerpts and the outputs in the chapters")

// Tests in docs/ check what all documents have in common: that links have a target, that
// commands exist, that each chapter has both languages, and that these have the same
// headings, code blocks and tables.

// eachChapter calls check with each file of the chapters.
func eachChapter(t *testing.T, check func(t *testing.T, tree fs.FS, name, text string)) {
	root := sourcetree.Root(t)
	tree := os.DirFS(root)
	names, err := fs.Glob(tree, chapters.Folder+"/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		language := path.Base(path.Dir(name))
		t.Run(language+"/"+path.Base(name), func(t *testing.T) {
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				t.Fatal(err)
			}
			check(t, tree, name, string(text))
		})
	}
}

// Excerpts and outputs are those of the source, of the runs and of the examples.
func TestBlocksMatchTheirOrigin(t *testing.T) {
	eachChapter(t, func(t *testing.T, tree fs.FS, name, text string) {
		if comments := regexp.MustCompile(`<!-- (source|output)`).FindAllString(text, -1); len(comments) != len(chapters.Blocks(text)) {
			t.Errorf("%d of %d comments are followed by a code block", len(chapters.Blocks(text)), len(comments))
		}
		wanted := chapters.Replace(text, func(b chapters.Block) string {
			want, err := origin(tree, b)
			switch {
			case err != nil:
				t.Errorf("%s: %v", b.Origin, err)
				return b.Text
			case want != b.Text && !*rewrite:
				t.Errorf("the block of %s differs: run go test ./learn/internal/chapters -args -rewrite. Got\n%s\nwant\n%s", b.Origin, b.Text, want)
			}
			return want
		})
		if *rewrite && wanted != text {
			if err := os.WriteFile(filepath.Join(sourcetree.Root(t), name), []byte(wanted), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
}

// mostLines is the limit of the run of a chapter.
const mostLines = 30

// origin returns the text that a block must have.
func origin(tree fs.FS, b chapters.Block) (string, error) {
	if b.Kind == "source" {
		if b.Language != "go" {
			return "", fmt.Errorf("the block is ```%s, want ```go", b.Language)
		}
		return chapters.Excerpt(tree, b.Origin)
	}
	if b.Language != "text" {
		return "", fmt.Errorf("the block is ```%s, want ```text", b.Language)
	}
	var number int
	if n, _ := fmt.Sscanf(b.Origin, "go run ./learn show %d", &number); n == 1 {
		output, err := show(number)
		if lines := strings.Count(output, "\n"); err == nil && lines > mostLines {
			return "", fmt.Errorf("the output has %d lines of at most %d", lines, mostLines)
		}
		return output, err
	}
	return exampleOutput(tree, b.Origin)
}

// show returns the output of the run of a step.
func show(number int) (string, error) {
	i := slices.IndexFunc(steps.All, func(s judge.Step) bool { return s.Number == number })
	if i < 0 {
		return "", fmt.Errorf("steps.All has no step %d", number)
	}
	var out strings.Builder
	err := steps.All[i].Show(&out)
	return out.String(), err
}

// exampleOutput returns the output of a command in the README of its example.
func exampleOutput(tree fs.FS, command string) (string, error) {
	fields := strings.Fields(command)
	if len(fields) < 3 || !strings.HasPrefix(fields[2], "./examples/") {
		return "", fmt.Errorf("want go run ./learn show N, or go run ./examples/NAME")
	}
	readme := path.Join(fields[2], "README.md")
	text, err := fs.ReadFile(tree, readme)
	if err != nil {
		return "", err
	}
	output := regexp.MustCompile("(?s)```sh\n" + regexp.QuoteMeta(command) + " *(?:#[^\n]*)?\n```\n.*?```(?:text)?\n(.*?)```\n")
	found := output.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("%s has no output of this command", readme)
	}
	return string(found[1]), nil
}

// sections are the headings of a chapter of a step.
var sections = map[string][]string{
	"en": {"The question", "Picture", "In client-go, and here", "A run", "The task", "Hints", "Further exercises", "Next"},
	"zh": {"问题", "示意图", "client-go 与本库", "运行", "任务", "提示", "延伸练习", "下一步"},
}

// Each step has a chapter in both languages that has all sections, names each check, and
// has the signatures and the commands.
func TestEachStepHasAChapter(t *testing.T) {
	tree := os.DirFS(sourcetree.Root(t))
	for _, step := range steps.All {
		for _, language := range chapters.Languages {
			t.Run(language+"/"+step.Name, func(t *testing.T) {
				text, err := fs.ReadFile(tree, chapters.Path(catalog.Step{Number: step.Number, Name: step.Name}, language))
				if err != nil {
					t.Fatal(err)
				}
				chapter := string(text)
				checkForm(t, language, step, chapter)
				checkTask(t, tree, step, chapter)
				if hints, err := chapters.Hints(chapter); err != nil || len(hints) < 3 || len(hints) > 5 {
					t.Errorf("got %d hints, error %v; want 3 to 5 hints", len(hints), err)
				}
			})
		}
	}
}

var heading = regexp.MustCompile(`(?m)^## (.*)$`)

func checkForm(t *testing.T, language string, step judge.Step, chapter string) {
	title := map[string]string{"en": "# Step %d: ", "zh": "# 第 %d 步："}[language]
	if title := fmt.Sprintf(title, step.Number); !strings.HasPrefix(chapter, title) {
		t.Errorf("the chapter does not begin with %q", title)
	}
	var got []string
	for _, found := range heading.FindAllStringSubmatch(withoutBlocks(chapter), -1) {
		got = append(got, found[1])
	}
	if want := sections[language]; !slices.Equal(got, want) {
		t.Errorf("got the sections %q, want %q", got, want)
	}
	blocks := chapters.Blocks(chapter)
	if !slices.ContainsFunc(blocks, func(b chapters.Block) bool { return b.Kind == "source" }) {
		t.Error("no block has an excerpt of the source")
	}
	run := fmt.Sprintf("go run ./learn show %d", step.Number)
	if !slices.ContainsFunc(blocks, func(b chapters.Block) bool { return b.Kind == "output" && b.Origin == run }) {
		t.Errorf("no block has the output of %s", run)
	}
}

func checkTask(t *testing.T, tree fs.FS, step judge.Step, chapter string) {
	for _, check := range step.Checks {
		row := regexp.MustCompile(`(?m)^\| *` + "`?" + regexp.QuoteMeta(check.Name) + "`?" + ` *\|`)
		if !row.MatchString(chapter) {
			t.Errorf("no table has a row that begins with the check %q", check.Name)
		}
	}
	for _, function := range step.Functions {
		if signature, err := signature.Of(tree, function); err != nil || !strings.Contains(chapter, signature) {
			t.Errorf("the chapter does not have the signature\n\t%s (%v)", signature, err)
		}
	}
	for _, command := range []string{"start", "test", "hint", "diff"} {
		if !regexp.MustCompile(fmt.Sprintf(`\b%s %d\b`, command, step.Number)).MatchString(chapter) {
			t.Errorf("the chapter does not have the command %s %d", command, step.Number)
		}
	}
}

var anyBlock = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

func withoutBlocks(chapter string) string { return anyBlock.ReplaceAllString(chapter, "") }

// The text blocks fit into a terminal, and the Go code is formatted.
func TestBlocksAreReadable(t *testing.T) {
	eachChapter(t, func(t *testing.T, _ fs.FS, _, text string) {
		for _, found := range anyBlock.FindAllStringSubmatch(text, -1) {
			switch language, block := found[1], found[2]; language {
			case "go":
				if formatted, err := format.Source([]byte(block)); err != nil || string(formatted) != block {
					t.Errorf("the code is not formatted as gofmt does it (%v):\n%s", err, block)
				}
			case "text":
				for line := range strings.Lines(block) {
					if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > 80 {
						t.Errorf("the line has %d columns of at most 80: %s", width, line)
					}
				}
			}
		}
	})
}
