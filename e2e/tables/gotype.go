package main

import (
	"go/ast"
	"path"
	"strings"
)

// notInErrorMessages has the types whose Go type is never in an error message.
var notInErrorMessages = map[string]bool{"scalar": true, "any": true, "raw": true, "object": true}

// guessed returns the Go type that the reader of the table derives from a type.
func guessed(typ string) string {
	if element, ok := strings.CutPrefix(typ, "[]"); ok {
		return "[]" + guessed(element)
	}
	if element, ok := strings.CutPrefix(typ, "{}"); ok {
		return "map[string]" + guessed(element)
	}
	if _, name, ok := strings.Cut(typ, "."); ok {
		return "v1." + name
	}
	return typ
}

// goType returns the Go name of a type, or of the element type of a pointer.
func (g *generator) goType(expr ast.Expr, in *declaration) string {
	if pointer, ok := expr.(*ast.StarExpr); ok {
		expr = pointer.X
	}
	switch expr := expr.(type) {
	case *ast.ArrayType:
		return "[]" + g.part(expr.Elt, in)
	case *ast.MapType:
		return "map[" + g.part(expr.Key, in) + "]" + g.part(expr.Value, in)
	}
	name := g.named(expr, in)
	if name == "byte" {
		return "uint8"
	}
	short, rest, qualified := strings.Cut(name, ".")
	if !qualified {
		return name
	}
	for at, pkg := range packages {
		if pkg == short {
			return path.Base(at) + "." + rest
		}
	}
	return name
}

// part returns the Go type of an element or a key, which may be a pointer.
func (g *generator) part(expr ast.Expr, in *declaration) string {
	if pointer, ok := expr.(*ast.StarExpr); ok {
		return "*" + g.goType(pointer.X, in)
	}
	return g.goType(expr, in)
}
