package docs_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// document is one Markdown file of the repository.
type document struct{ name, text string }

// documents returns all Markdown files, including those of nested modules.
func documents(t *testing.T, tree fs.FS) (all []document) {
	sourcetree.Walk(t, tree, true, func(name string, text []byte) {
		if path.Ext(name) == ".md" {
			all = append(all, document{name, string(text)})
		}
	})
	return all
}

var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// blocks returns the code blocks of a language.
func (d document) blocks(language string) (texts []string) {
	for _, found := range block.FindAllStringSubmatch(d.text, -1) {
		if found[1] == language {
			texts = append(texts, found[2])
		}
	}
	return texts
}

// prose returns the document without its code blocks.
func (d document) prose() string { return block.ReplaceAllString(d.text, "") }

// snippets: the Go code of a document is compiled. It is part of a test in docs, of
// an example, or, if it needs client-go, of a test in interop. A line "// ..." marks
// an omission. Another test runs whole programs. The chapters of the course have excerpts
// of the source and signatures, which learn/internal/chapters checks.
func snippets(t *testing.T, tree fs.FS) (violations []string) {
	var compiled []string
	for _, file := range sourcetree.RootModule(t, tree) {
		if file.Folder == "docs" && file.Test || sourcetree.Within(file.Folder, "examples") {
			text, err := fs.ReadFile(tree, file.Name)
			if err != nil {
				t.Fatal(err)
			}
			compiled = append(compiled, string(text))
		}
	}
	sourcetree.Walk(t, tree, true, func(name string, text []byte) {
		if path.Dir(name) == "interop" && strings.HasSuffix(name, "_test.go") {
			compiled = append(compiled, string(text))
		}
	})
	for _, d := range documents(t, tree) {
		if sourcetree.Within(d.name, "learn/chapters") {
			continue
		}
		for _, snippet := range d.blocks("go") {
			if strings.HasPrefix(snippet, "package main") {
				continue
			}
			for _, part := range strings.Split(strings.TrimSpace(snippet), "// ...\n") {
				if !contains(compiled, strings.TrimSuffix(part, "// ...")) {
					violations = append(violations, fmt.Sprintf("%s: no test in docs or interop and no example has this part of a snippet, so it is not compiled:\n%s", d.name, part))
				}
			}
		}
	}
	return violations
}

func contains(files []string, part string) bool {
	for depth := range 5 {
		indent := "\n" + strings.Repeat("\t", depth)
		indented := strings.ReplaceAll("\n"+strings.TrimRight(part, "\n\t"), "\n", indent)
		indented = strings.ReplaceAll(indented, indent+"\n", "\n\n") + "\n"
		if slices.ContainsFunc(files, func(text string) bool { return strings.Contains(text, indented) }) {
			return true
		}
	}
	return false
}

var link = regexp.MustCompile(`\]\(([^()\s]*)\)`)

// links: the target of a link within the repository exists. A fragment is a heading
// of the document, or a declaration of the Go file: a name, or a type with a method
// or field.
func links(t *testing.T, tree fs.FS) (violations []string) {
	for _, d := range documents(t, tree) {
		for _, found := range link.FindAllStringSubmatch(d.prose(), -1) {
			target, err := url.Parse(found[1])
			if err != nil || target.Scheme != "" {
				continue
			}
			name := d.name
			if target.Path != "" {
				name = path.Join(path.Dir(d.name), target.Path)
			}
			if _, err := fs.Stat(tree, name); err != nil {
				violations = append(violations, fmt.Sprintf("%s: broken link %s: %s does not exist", d.name, found[1], name))
			} else if target.Fragment != "" && !slices.Contains(anchors(t, tree, name), target.Fragment) {
				violations = append(violations, fmt.Sprintf("%s: broken link %s: %s has no %s", d.name, found[1], name, target.Fragment))
			}
		}
	}
	return violations
}

// anchors returns the fragments that a link to a file can have.
func anchors(t *testing.T, tree fs.FS, name string) (names []string) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	switch path.Ext(name) {
	case ".md":
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, slug(heading[1]))
		}
	case ".go":
		syntax, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range syntax.Decls {
			names = append(names, declaredBy(declared)...)
		}
	}
	return names
}

// slug returns the fragment that leads to a heading.
func slug(heading string) string {
	letters := regexp.MustCompile(`[^\p{L}\p{N}\- ]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(letters, " ", "-")
}

// declaredBy returns the names of a declaration, with the type before a member.
func declaredBy(declared ast.Decl) (names []string) {
	switch declared := declared.(type) {
	case *ast.FuncDecl:
		name := declared.Name.Name
		if declared.Recv != nil {
			ast.Inspect(declared.Recv.List[0].Type, func(node ast.Node) bool {
				if of, ok := node.(*ast.Ident); ok && name == declared.Name.Name {
					name = of.Name + "." + name
				}
				return true
			})
		}
		return []string{name}
	case *ast.GenDecl:
		for _, spec := range declared.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
				ast.Inspect(spec.Type, func(node ast.Node) bool {
					if field, ok := node.(*ast.Field); ok {
						for _, name := range field.Names {
							names = append(names, spec.Name.Name+"."+name.Name)
						}
					}
					return true
				})
			}
		}
	}
	return names
}

var (
	testName  = regexp.MustCompile("`((?:Test|Benchmark|Fuzz|Example)[A-Z_]\\w*)`")
	goCommand = regexp.MustCompile(`\bgo (?:-C (\S+) )?(test|run)((?: [^#\n` + "`" + `]*)?)`)
	makeOf    = regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)")
)

// claims: a test that a document names exists, and so do the packages and tests of
// a go command and the target of a make command.
func claims(t *testing.T, tree fs.FS) (violations []string) {
	tests := map[string][]string{} // folders by name
	sourcetree.Walk(t, tree, true, func(name string, text []byte) {
		if strings.HasSuffix(name, "_test.go") {
			for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`).FindAllSubmatch(text, -1) {
				tests[string(found[1])] = append(tests[string(found[1])], path.Dir(name))
			}
		}
	})
	makefile, err := fs.ReadFile(tree, "Makefile")
	if err != nil {
		makefile = nil
	}
	for _, d := range documents(t, tree) {
		for _, found := range testName.FindAllStringSubmatch(d.text, -1) {
			if tests[found[1]] == nil {
				violations = append(violations, fmt.Sprintf("%s names the test %s, which does not exist", d.name, found[1]))
			}
		}
		for _, found := range goCommand.FindAllStringSubmatch(d.text, -1) {
			if wrong := wrongWithCommand(tree, tests, found[1], found[2], strings.Fields(found[3])); wrong != "" {
				violations = append(violations, fmt.Sprintf("%s: %s: %s", d.name, strings.TrimSpace(found[0]), wrong))
			}
		}
		for _, found := range makeOf.FindAllStringSubmatch(d.text, -1) {
			if !regexp.MustCompile(`(?m)^([a-z]+ )*` + found[1] + `( [a-z]+)*:`).Match(makefile) {
				violations = append(violations, fmt.Sprintf("%s: make %s: no such target", d.name, found[1]))
			}
		}
	}
	return violations
}

// wrongWithCommand returns why "go -C in test words" or "go -C in run words" does
// nothing, or "".
func wrongWithCommand(tree fs.FS, tests map[string][]string, in, what string, words []string) string {
	if len(words) > 1 && words[0] == "-C" {
		in, words = words[1], words[2:]
	}
	var pattern string
	folders := []string{path.Clean(in)}
	for i, word := range words {
		word = strings.Trim(word, "'")
		switch {
		case word == "-run" && i+1 < len(words) && what == "test":
			pattern = strings.Trim(words[i+1], "'")
		case word == "." || strings.HasPrefix(word, "./"):
			folders = append(folders[:0], path.Join(in, strings.TrimSuffix(word, "...")))
		}
	}
	if _, err := fs.Stat(tree, folders[0]); err != nil {
		return folders[0] + " does not exist"
	}
	if pattern == "^$" { // the command runs benchmarks
		return ""
	}
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err.Error()
	}
	for name, of := range tests {
		if wanted.MatchString(name) && slices.ContainsFunc(of, func(folder string) bool {
			return folders[0] == "." || sourcetree.Within(folder, folders[0])
		}) {
			return ""
		}
	}
	if pattern == "" {
		return ""
	}
	return fmt.Sprintf("no test in %s has a name like %s", folders[0], pattern)
}

func TestSnippetsAreCompiled(t *testing.T) { sourcetree.Rule(snippets).Holds(t) }

func TestLinksHaveATarget(t *testing.T) { sourcetree.Rule(links).Holds(t) }

func TestNamedTestsAndCommandsExist(t *testing.T) { sourcetree.Rule(claims).Holds(t) }

var code = regexp.MustCompile("`([a-z]+\\.[A-Z]\\w*(?:\\.\\w+)*)`")

// A qualified name of one of our packages, in the README of the root and in docs/,
// exists.
func TestQualifiedNamesExist(t *testing.T) {
	packages := sourcePackages(t)
	for _, d := range documents(t, repository(t)) {
		if d.name != "README.md" && d.name != "README.zh.md" && !sourcetree.Within(path.Dir(d.name), "docs") {
			continue
		}
		for _, found := range code.FindAllStringSubmatch(d.text, -1) {
			if name, _, _ := strings.Cut(found[1], "."); packages.paths[name] == "" {
				continue
			}
			if _, err := packages.find(t, found[1]); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
		}
	}
}

// The new names in the table of renames exist.
func TestNewNamesOfTheChangeLogExist(t *testing.T) {
	text, err := fs.ReadFile(repository(t), "CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	packages, checked := sourcePackages(t), 0
	for _, row := range regexp.MustCompile(`(?m)^\|.*\|(.*)\|$`).FindAllStringSubmatch(string(text), -1) {
		for _, found := range code.FindAllStringSubmatch(row[1], -1) {
			checked++
			if _, err := packages.find(t, found[1]); err != nil {
				t.Errorf("CHANGELOG.md: %v", err)
			}
		}
	}
	if checked < 10 {
		t.Errorf("the table has %d qualified names, want at least 10", checked)
	}
}

// A program in a document begins with its package clause. It runs unchanged and
// prints the next block. A later test with a package clause passes together with the
// program. Chinese documents have the programs of the English ones, which
// TestChineseDocumentsMatchTheEnglishOnes checks.
func TestProgramsRun(t *testing.T) {
	tree := repository(t)
	for _, d := range documents(t, tree) {
		if originalOf(tree, d.name) != "" {
			continue
		}
		all := block.FindAllStringSubmatch(d.text, -1)
		var program string
		for i, found := range all {
			if found[1] != "go" || !strings.HasPrefix(found[2], "package main") {
				continue
			}
			if strings.Contains(found[2], "\nfunc Test") {
				beside := program
				t.Run(d.name+"/test", func(t *testing.T) { runTests(t, beside, found[2]) })
				continue
			}
			program = found[2]
			t.Run(d.name, func(t *testing.T) {
				if i+1 == len(all) || all[i+1][1] != "text" {
					t.Fatal("no block has the output of the program")
				}
				runs(t, found[2], all[i+1][2])
			})
		}
	}
}

func runs(t *testing.T, program, prints string) {
	t.Helper()
	out := goCommandOn(t, map[string]string{"main.go": program}, "run")
	if out != prints {
		t.Errorf("got the output\n%s\nwant\n%s", out, prints)
	}
}

// runTests runs the tests of a program and fails if there are none.
func runTests(t *testing.T, program, test string) {
	t.Helper()
	out := goCommandOn(t, map[string]string{"main.go": program, "main_test.go": test}, "test", "-v")
	if !strings.Contains(out, "--- PASS: Test") {
		t.Errorf("no test ran:\n%s", out)
	}
}

// goCommandOn runs a go command on files in the root module and returns its output.
func goCommandOn(t *testing.T, files map[string]string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := path.Join(dir, name)
		if err := os.WriteFile(file, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	var out, log bytes.Buffer
	command := exec.Command("go", args...)
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), log.String())
	}
	return out.String()
}

func TestTheRulesForDocumentsCanFail(t *testing.T) {
	tree := func(text string, more ...map[string]*fstest.MapFile) fstest.MapFS {
		made := fstest.MapFS{"README.md": sourcetree.Text(text), "go.mod": sourcetree.Text("module x\n")}
		for _, files := range more {
			maps.Copy(made, files)
		}
		return made
	}
	snippet := "```go\na := 1\n// ...\nif a > 1 {\n\tf()\n}\n```\n"
	compiled := func(in string) fstest.MapFS { return fstest.MapFS{"docs/readme_test.go": sourcetree.Text(in)} }
	sourcetree.Rule(snippets).Passes(t, tree(snippet, compiled("package p\nfunc _() {\n\ta := 1\n\tb()\n\tif a > 1 {\n\t\tf()\n\t}\n}\n")))
	sourcetree.Rule(snippets).Breaks(t, tree(snippet, compiled("package p\nfunc _() {\n\ta := 1\n}\n")), "README.md", "if a > 1 {")

	code := fstest.MapFS{"indexer/a.go": sourcetree.Text("package indexer\ntype store[T any] struct{ root int }\nfunc (s *store[T]) publish() {}\nfunc New() {}\n")}
	for _, fine := range []string{"https://go.dev", "indexer", "indexer/a.go", "indexer/a.go#store.publish", "indexer/a.go#store.root", "indexer/a.go#New", "#one-two"} {
		sourcetree.Rule(links).Passes(t, tree("# One, two\n[x]("+fine+")\n", code))
	}
	for _, broken := range []string{"gone.md", "indexer/a.go#publish", "#two"} {
		sourcetree.Rule(links).Breaks(t, tree("# One\n[x]("+broken+")\n", code), "README.md", broken)
	}

	tests := fstest.MapFS{"indexer/a_test.go": sourcetree.Text("package indexer\nfunc TestReads(t *testing.T) {}\n"), "Makefile": sourcetree.Text("lint vet: x\n")}
	for _, fine := range []string{"`TestReads`", "`go test ./...`", "`go test ./indexer -run 'Reads$'`", "`make vet`", "`go run ./indexer`"} {
		sourcetree.Rule(claims).Passes(t, tree(fine, tests))
	}
	for _, broken := range []string{"`TestWrites`", "`go test ./gone`", "`go test ./indexer -run Writes`", "`make love`", "`go run ./examples/gone`", "`go run -C bench .`"} {
		sourcetree.Rule(claims).Breaks(t, tree(broken, tests), "README.md", strings.Fields(strings.Trim(broken, "`"))[0])
	}
}
