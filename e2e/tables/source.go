package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// packages maps the packages that declare the types of the built-in kinds to their short
// names in the table.
var packages = map[string]string{
	"k8s.io/api/apps/v1":                                       "apps",
	"k8s.io/api/autoscaling/v1":                                "autoscaling",
	"k8s.io/api/batch/v1":                                      "batch",
	"k8s.io/api/coordination/v1":                               "coordination",
	"k8s.io/api/core/v1":                                       "core",
	"k8s.io/api/discovery/v1":                                  "discovery",
	"k8s.io/api/events/v1":                                     "events",
	"k8s.io/api/networking/v1":                                 "networking",
	"k8s.io/api/scheduling/v1alpha3":                           "scheduling",
	"k8s.io/api/rbac/v1":                                       "rbac",
	"k8s.io/apimachinery/pkg/types":                            "types",
	"k8s.io/apimachinery/pkg/runtime":                          "runtime",
	"k8s.io/apimachinery/pkg/util/intstr":                      "intstr",
	"k8s.io/apimachinery/pkg/api/resource":                     "resource",
	"k8s.io/apimachinery/pkg/apis/meta/v1":                     "meta",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1": "apiextensions",
}

// declaration is the declaration of a type in the source.
type declaration struct {
	spec *ast.TypeSpec
	doc  markers
	// imports has the import paths of the file by their names.
	imports map[string]string
	pkg     string
}

// source has all type declarations of the packages, by the names in the table.
type source struct {
	types map[string]*declaration
	// modules has the versions of the sources, for the head of the table.
	modules []string
}

func readSource() (*source, error) {
	args := []string{"list", "-f", `{{.ImportPath}}|{{.Dir}}|{{.Module.Path}} {{.Module.Version}}`}
	for path := range packages {
		args = append(args, path)
	}
	listed, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("find the sources of the API types: %w", err)
	}
	src := &source{types: map[string]*declaration{}}
	seen := map[string]bool{}
	for line := range strings.Lines(string(listed)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if err := src.readPackage(parts[0], parts[1]); err != nil {
			return nil, err
		}
		if !seen[parts[2]] {
			seen[parts[2]] = true
			src.modules = append(src.modules, parts[2])
		}
	}
	return src, nil
}

func (src *source) readPackage(path, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		if base := filepath.Base(name); strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "generated.") || strings.HasPrefix(base, "zz_") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read the types of %s: %w", path, err)
		}
		src.declare(path, file)
	}
	return nil
}

func (src *source) declare(path string, file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := imported[strings.LastIndex(imported, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = imported
	}
	// A marker may be in a comment that is separated from the type by a blank line.
	before := token.NoPos
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			before = decl.End()
			continue
		}
		for _, spec := range general.Specs {
			spec := spec.(*ast.TypeSpec)
			var doc markers
			for _, group := range file.Comments {
				if group.Pos() > before && group.End() < spec.Pos() {
					doc.add(group)
				}
			}
			src.types[packages[path]+"."+spec.Name.Name] = &declaration{spec: spec, doc: doc, imports: imports, pkg: packages[path]}
			before = spec.End()
		}
	}
}

// markers has the +name=value lines of a comment, in order.
type markers [][2]string

func (m *markers) add(group *ast.CommentGroup) {
	if group == nil {
		return
	}
	for _, comment := range group.List {
		for line := range strings.Lines(comment.Text) {
			marker, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/*")), "+")
			if !ok {
				continue
			}
			name, value, _ := strings.Cut(marker, "=")
			*m = append(*m, [2]string{name, strings.TrimSpace(value)})
		}
	}
}

func (m markers) all(name string) (values []string) {
	for _, marker := range m {
		if marker[0] == name {
			values = append(values, marker[1])
		}
	}
	return values
}

func (m markers) last(name string) string {
	values := m.all(name)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// literal returns the value of a default marker if it is a literal.
func literal(text string) (string, bool) {
	var value any
	if text == "" || json.Unmarshal([]byte(text), &value) != nil {
		return "", false
	}
	return text, true
}
