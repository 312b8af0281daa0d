package factory

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/tools/go/packages"
)

// load returns the package with its types and syntax. The types of its imports come from
// the compiler.
func load(dir, importPath string) (*packages.Package, error) {
	if importPath == "" || strings.Contains(importPath, "...") {
		return nil, fmt.Errorf("load %q: give the import path of one package, the one with NewSharedInformerFactory", importPath)
	}
	found, err := packages.Load(&packages.Config{
		Dir: dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, importPath)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w; run the command in a module that requires it", importPath, err)
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("load %s: it is %d packages; give the import path of the one with NewSharedInformerFactory", importPath, len(found))
	}
	var problems []error
	for _, problem := range found[0].Errors {
		text := problem.Msg // without the position if there is none: "-"
		if problem.Pos != "" && problem.Pos != "-" {
			text = problem.Pos + ": " + text
		}
		problems = append(problems, errors.New(text))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("load %s: %w\nit must build: run go build %s, and go get the module if it is not required yet", importPath, errors.Join(problems...), importPath)
	}
	return found[0], nil
}
