package program

import (
	"fmt"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// importable are the packages that a solution may import in addition to the standard
// library: the modules of Kubernetes with all packages, and the packages that the
// interfaces of package stack name.
var importable = []string{
	Module + "/learn/internal/stack",
	Module + "/listwatch",
	Module + "/rest",
	Module + "/reflector",
	Module + "/deltafifo",
	Module + "/informer",
	"k8s.io/apimachinery",
	"github.com/json-iterator/go",
}

// Importable returns the packages that a solution may import: those of this module, from
// its root on, and the modules of others.
func Importable() (ours, modules string) {
	var names, others []string
	for _, imported := range importable {
		if name, found := strings.CutPrefix(imported, Module+"/"); found {
			names = append(names, name)
		} else {
			others = append(others, imported)
		}
	}
	return strings.Join(names, ", "), strings.Join(others, ", ")
}

// ImportError is an import that a solution may not have.
type ImportError struct {
	File   string
	Line   int
	Import string
}

// Error names the file and the import.
func (e *ImportError) Error() string {
	return fmt.Sprintf("%s:%d imports %s, which a solution may not import", e.File, e.Line, e.Import)
}

// CheckImports returns an *ImportError if a file of a solution imports something else.
// A file that cannot be read is left to the compiler.
func CheckImports(name, text string) error {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !mayImport(imported) {
			return &ImportError{name, set.Position(spec.Pos()).Line, imported}
		}
	}
	return nil
}

func mayImport(imported string) bool {
	for _, allowed := range importable {
		below := strings.HasPrefix(imported, allowed+"/") && !strings.HasPrefix(imported, Module)
		if imported == allowed || below {
			return true
		}
	}
	// The first element of any other module has a dot.
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
