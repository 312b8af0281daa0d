// Package catalog reads the list of the steps from their source. The command of the course
// uses it instead of package steps, so that it does not link the checks, the library and
// the API server: it is built in a fraction of the time.
package catalog

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
)

// Folder has the packages of the steps, from the root of the module on.
const Folder = "learn/internal/steps"

// Step is what the source of a step says about it: see judge.Step.
type Step struct {
	Number    int
	Name      string
	Short     bool
	Functions []string
	Checks    []string // their names
}

// Read returns the steps in their order. tree is the root of the module.
func Read(tree fs.FS) (steps []Step, err error) {
	files, err := fs.Glob(tree, path.Join(Folder, "*", "step.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		step, err := read(tree, file)
		if err != nil {
			return nil, fmt.Errorf("read the step in %s: %w", file, err)
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s has no steps", Folder)
	}
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.Number, b.Number) })
	return steps, nil
}

// read reads the variable Step of a file.
func read(tree fs.FS, file string) (step Step, err error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return step, err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return step, err
	}
	for _, declared := range syntax.Decls {
		if literal := stepLiteral(declared); literal != nil {
			return step, step.set(literal)
		}
	}
	return step, fmt.Errorf("there is no var Step = judge.Step{...}")
}

// stepLiteral returns the value of the variable Step, and nil for other declarations.
func stepLiteral(declared ast.Decl) *ast.CompositeLit {
	general, ok := declared.(*ast.GenDecl)
	if !ok || general.Tok != token.VAR {
		return nil
	}
	for _, spec := range general.Specs {
		value := spec.(*ast.ValueSpec)
		if value.Names[0].Name == "Step" && len(value.Values) == 1 {
			literal, _ := value.Values[0].(*ast.CompositeLit)
			return literal
		}
	}
	return nil
}

// set sets the fields from those of a judge.Step.
func (s *Step) set(literal *ast.CompositeLit) (err error) {
	for name, value := range fields(literal) {
		switch name {
		case "Number":
			s.Number, err = strconv.Atoi(literalText(value))
		case "Name":
			s.Name, err = strconv.Unquote(literalText(value))
		case "Short":
			of, ok := value.(*ast.Ident)
			s.Short = ok && of.Name == "true"
		case "Functions":
			s.Functions, err = names(value, func(element ast.Expr) ast.Expr { return element })
		case "Checks":
			s.Checks, err = names(value, func(element ast.Expr) ast.Expr { return fields(element)["Name"] })
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// fields returns the values of a struct literal by name.
func fields(of ast.Expr) map[string]ast.Expr {
	values := map[string]ast.Expr{}
	literal, ok := of.(*ast.CompositeLit)
	if !ok {
		return values
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				values[key.Name] = pair.Value
			}
		}
	}
	return values
}

// names returns a text of each element of a slice literal.
func names(slice ast.Expr, nameOf func(ast.Expr) ast.Expr) (all []string, err error) {
	literal, ok := slice.(*ast.CompositeLit)
	if !ok {
		return nil, fmt.Errorf("want a literal")
	}
	for _, element := range literal.Elts {
		name, err := strconv.Unquote(literalText(nameOf(element)))
		if err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, nil
}

// literalText returns the source of a literal, and "" for other expressions.
func literalText(of ast.Expr) string {
	if literal, ok := of.(*ast.BasicLit); ok {
		return literal.Value
	}
	return ""
}
