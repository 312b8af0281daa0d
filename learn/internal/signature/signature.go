// Package signature returns the signatures of the functions that a learner writes. The
// fields of stack.Parts declare them. Reflection does not know the names of parameters,
// so the source is read.
package signature

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"strings"
)

// file declares stack.Parts, from the root of the module on.
const file = "learn/internal/stack/parts.go"

// Of returns the signature of a function as a package of the course declares it:
// "func NewTransport(dial stack.Dial) stack.Transport".
func Of(tree fs.FS, function string) (string, error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return "", err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var found *ast.FuncType
	ast.Inspect(syntax, func(node ast.Node) bool {
		field, ok := node.(*ast.Field)
		if !ok || len(field.Names) != 1 || field.Names[0].Name != function {
			return true
		}
		switch declared := field.Type.(type) {
		case *ast.FuncType:
			found = declared
		case *ast.Ident: // a named function type, such as NewDecoder
			found = named(tree, declared.Name)
		}
		return found == nil
	})
	if found == nil {
		return "", fmt.Errorf("%s has no function %s", file, function)
	}
	qualify(found)
	var out bytes.Buffer
	if err := printer.Fprint(&out, token.NewFileSet(), found); err != nil {
		return "", err
	}
	return "func " + function + strings.TrimPrefix(out.String(), "func"), nil
}

// named returns the function type with a name in package stack.
func named(tree fs.FS, name string) (found *ast.FuncType) {
	files, err := fs.Glob(tree, "learn/internal/stack/*.go")
	if err != nil {
		return nil
	}
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		ast.Inspect(syntax, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok && spec.Name.Name == name {
				found, _ = spec.Type.(*ast.FuncType)
			}
			return found == nil
		})
	}
	return found
}

// qualify writes the package before the exported names of package stack.
func qualify(function *ast.FuncType) {
	qualifyType := func(node ast.Node) {
		ast.Inspect(node, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.SelectorExpr:
				return false
			case *ast.Ident:
				if node.IsExported() {
					node.Name = "stack." + node.Name
				}
			}
			return true
		})
	}
	for _, fields := range []*ast.FieldList{function.Params, function.Results} {
		if fields == nil {
			continue
		}
		for _, field := range fields.List {
			qualifyType(field.Type)
		}
	}
}
