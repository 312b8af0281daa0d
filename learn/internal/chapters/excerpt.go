package chapters

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// mostLines is the limit of an excerpt.
const mostLines = 35

// Excerpt returns a declaration of a Go file, which is named as in
// "reflector/state.go#step".
func Excerpt(tree fs.FS, of string) (string, error) {
	file, name, _ := strings.Cut(of, "#")
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return "", err
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, declared := range syntax.Decls {
		doc, has := declares(declared, name)
		if !has {
			continue
		}
		offset := func(at token.Pos) int { return set.Position(at).Offset }
		excerpt := string(text[offset(declared.Pos()):offset(declared.End())]) + "\n"
		if doc != nil {
			full := string(text[offset(doc.Pos()):offset(declared.Pos())]) + excerpt
			if strings.Count(full, "\n") <= mostLines {
				excerpt = full
			}
		}
		if lines := strings.Count(excerpt, "\n"); lines > mostLines {
			return "", fmt.Errorf("%s has %d lines of at most %d: choose a smaller declaration", of, lines, mostLines)
		}
		return excerpt, nil
	}
	return "", fmt.Errorf("%s does not declare %s; a method is named as Type.Method", file, name)
}

// declares reports whether a declaration has the name, and returns its doc comment.
func declares(declared ast.Decl, name string) (doc *ast.CommentGroup, has bool) {
	switch declared := declared.(type) {
	case *ast.FuncDecl:
		of := ""
		if declared.Recv != nil {
			of = receiver(declared.Recv.List[0].Type) + "."
		}
		return declared.Doc, of+declared.Name.Name == name
	case *ast.GenDecl:
		for _, spec := range declared.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				has = has || spec.Name.Name == name
			case *ast.ValueSpec:
				for _, value := range spec.Names {
					has = has || value.Name == name
				}
			}
		}
		return declared.Doc, has
	}
	return nil, false
}

// receiver returns the name of a receiver's type.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
