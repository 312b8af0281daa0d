package thinformer_test

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
)

// document is one Markdown file of the repository.
type document struct{ name, text string }

// documents are all of them, those of nested modules too.
func documents(t *testing.T, tree fs.FS) (all []document) {
	walk(t, tree, true, func(name string, text []byte) {
		if path.Ext(name) == ".md" {
			all = append(all, document{name, string(text)})
		}
	})
	return all
}

var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// blocks are the code blocks of a language.
func (d document) blocks(language string) (texts []string) {
	for _, found := range block.FindAllStringSubmatch(d.text, -1) {
		if found[1] == language {
			texts = append(texts, found[2])
		}
	}
	return texts
}

// prose is the document without its code blocks.
func (d document) prose() string { return block.ReplaceAllString(d.text, "") }

// snippets: the Go code in a document stands in a test of the root, in an
// example, or, if it needs client-go, in a test of interop, where it is
// compiled. A line "// ..." is what is left out. Whole programs are run by a
// test of their own.
func snippets(t *testing.T, tree fs.FS) (complaints []string) {
	var compiled []string
	for _, file := range rootModule(t, tree) {
		if file.folder == "." && file.test || within(file.folder, "examples") {
			text, err := fs.ReadFile(tree, file.name)
			if err != nil {
				t.Fatal(err)
			}
			compiled = append(compiled, string(text))
		}
	}
	walk(t, tree, true, func(name string, text []byte) {
		if path.Dir(name) == "interop" && strings.HasSuffix(name, "_test.go") {
			compiled = append(compiled, string(text))
		}
	})
	for _, d := range documents(t, tree) {
		for _, snippet := range d.blocks("go") {
			if strings.HasPrefix(snippet, "package main") {
				continue
			}
			for _, part := range strings.Split(strings.TrimSpace(snippet), "// ...\n") {
				if !standsIn(compiled, strings.TrimSuffix(part, "// ...")) {
					complaints = append(complaints, fmt.Sprintf("%s: this part of a snippet stands in no test of the root or of interop and in no example, where it would be compiled:\n%s", d.name, part))
				}
			}
		}
	}
	return complaints
}

func standsIn(files []string, part string) bool {
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

// links: a link within the repository leads to a file or folder that is there,
// and what follows the # is a heading of the document, or declared in the Go
// file: a name, or a type and its method or field.
func links(t *testing.T, tree fs.FS) (complaints []string) {
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
				complaints = append(complaints, fmt.Sprintf("%s: the link %s leads nowhere: there is no %s", d.name, found[1], name))
			} else if target.Fragment != "" && !slices.Contains(anchors(t, tree, name), target.Fragment) {
				complaints = append(complaints, fmt.Sprintf("%s: the link %s leads nowhere: %s has no %s", d.name, found[1], name, target.Fragment))
			}
		}
	}
	return complaints
}

// anchors are what a link can name in a file.
func anchors(t *testing.T, tree fs.FS, name string) (names []string) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	switch path.Ext(name) {
	case ".md":
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
			slug := regexp.MustCompile(`[^\p{L}\p{N}\- ]`).ReplaceAllString(strings.ToLower(heading[1]), "")
			names = append(names, strings.ReplaceAll(slug, " ", "-"))
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

// declaredBy are the names of a declaration; members have their type in front.
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

// claims: a test that a document names is there; a command has something to
// run: its package, and for -run a test of that name.
func claims(t *testing.T, tree fs.FS) (complaints []string) {
	tests := map[string][]string{} // their folders, by name
	walk(t, tree, true, func(name string, text []byte) {
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
				complaints = append(complaints, fmt.Sprintf("%s names the test %s, which is not there", d.name, found[1]))
			}
		}
		for _, found := range goCommand.FindAllStringSubmatch(d.text, -1) {
			if wrong := wrongWithCommand(tree, tests, found[1], found[2], strings.Fields(found[3])); wrong != "" {
				complaints = append(complaints, fmt.Sprintf("%s: %s: %s", d.name, strings.TrimSpace(found[0]), wrong))
			}
		}
		for _, found := range makeOf.FindAllStringSubmatch(d.text, -1) {
			if !regexp.MustCompile(`(?m)^([a-z]+ )*` + found[1] + `( [a-z]+)*:`).Match(makefile) {
				complaints = append(complaints, fmt.Sprintf("%s: make %s: there is no such target", d.name, found[1]))
			}
		}
	}
	return complaints
}

// wrongWithCommand is why "go -C in test words" or "go -C in run words" could do
// nothing, "" if it could.
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
		return "there is no " + folders[0]
	}
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err.Error()
	}
	for name, of := range tests {
		if wanted.MatchString(name) && slices.ContainsFunc(of, func(folder string) bool {
			return folders[0] == "." || within(folder, folders[0])
		}) {
			return ""
		}
	}
	if pattern == "" {
		return ""
	}
	return fmt.Sprintf("no test in %s has a name like %s", folders[0], pattern)
}

func TestSnippetsAreCompiled(t *testing.T) { rule(snippets).holds(t) }

func TestLinksLeadSomewhere(t *testing.T) { rule(links).holds(t) }

func TestClaimsHaveATest(t *testing.T) { rule(claims).holds(t) }

var code = regexp.MustCompile("`([a-z]+\\.[A-Z]\\w*(?:\\.\\w+)*)`")

// A name with its package in front, in the README and in docs/, is one of ours.
func TestNamesInDocumentsAreThere(t *testing.T) {
	h := theHouse(t)
	for _, d := range documents(t, os.DirFS(".")) {
		if d.name != "README.md" && !within(path.Dir(d.name), "docs") {
			continue
		}
		for _, found := range code.FindAllStringSubmatch(d.text, -1) {
			if room, _, _ := strings.Cut(found[1], "."); h.rooms[room] == "" || within(d.name, "docs/design") {
				continue
			}
			if _, err := h.find(t, found[1]); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
		}
	}
}

// A program in a document, which begins with its package clause, runs as it
// stands there, and prints what the next block says.
func TestProgramsRun(t *testing.T) {
	for _, d := range documents(t, os.DirFS(".")) {
		all := block.FindAllStringSubmatch(d.text, -1)
		for i, found := range all {
			if found[1] != "go" || !strings.HasPrefix(found[2], "package main") {
				continue
			}
			t.Run(d.name, func(t *testing.T) {
				if i+1 == len(all) || all[i+1][1] != "text" {
					t.Fatal("no block says what the program prints")
				}
				runs(t, found[2], all[i+1][2])
			})
		}
	}
}

func runs(t *testing.T, program, prints string) {
	t.Helper()
	file := path.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	run := exec.Command("go", "run", file)
	run.Stdout, run.Stderr = &out, &log
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), log.String())
	}
	if out.String() != prints {
		t.Errorf("it printed\n%s\nand not\n%s", out.String(), prints)
	}
}

func TestTheRulesForDocumentsCanFail(t *testing.T) {
	tree := func(text string, more ...map[string]*fstest.MapFile) fstest.MapFS {
		made := fstest.MapFS{"README.md": goFile(text), "go.mod": goFile("module x\n")}
		for _, files := range more {
			maps.Copy(made, files)
		}
		return made
	}
	snippet := "```go\na := 1\n// ...\nif a > 1 {\n\tf()\n}\n```\n"
	compiled := func(in string) fstest.MapFS { return fstest.MapFS{"readme_test.go": goFile(in)} }
	rule(snippets).passes(t, tree(snippet, compiled("package p\nfunc _() {\n\ta := 1\n\tb()\n\tif a > 1 {\n\t\tf()\n\t}\n}\n")))
	rule(snippets).breaks(t, tree(snippet, compiled("package p\nfunc _() {\n\ta := 1\n}\n")), "README.md", "if a > 1 {")

	code := fstest.MapFS{"indexer/a.go": goFile("package indexer\ntype store[T any] struct{ root int }\nfunc (s *store[T]) publish() {}\nfunc New() {}\n")}
	for _, fine := range []string{"https://go.dev", "indexer", "indexer/a.go", "indexer/a.go#store.publish", "indexer/a.go#store.root", "indexer/a.go#New", "#one-two"} {
		rule(links).passes(t, tree("# One, two\n[x]("+fine+")\n", code))
	}
	for _, broken := range []string{"gone.md", "indexer/a.go#publish", "#two"} {
		rule(links).breaks(t, tree("# One\n[x]("+broken+")\n", code), "README.md", broken)
	}

	tests := fstest.MapFS{"indexer/a_test.go": goFile("package indexer\nfunc TestReads(t *testing.T) {}\n"), "Makefile": goFile("lint vet: x\n")}
	for _, fine := range []string{"`TestReads`", "`go test ./...`", "`go test ./indexer -run 'Reads$'`", "`make vet`", "`go run ./indexer`"} {
		rule(claims).passes(t, tree(fine, tests))
	}
	for _, broken := range []string{"`TestWrites`", "`go test ./gone`", "`go test ./indexer -run Writes`", "`make love`", "`go run ./examples/gone`", "`go run -C bench .`"} {
		rule(claims).breaks(t, tree(broken, tests), "README.md", strings.Fields(strings.Trim(broken, "`"))[0])
	}
}
