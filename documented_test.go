package thinformer_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"testing"
	"testing/fstest"
)

// docComments: every exported function, method, type, constant and variable of
// the module says what it is. A comment on a group counts for its members, and
// one within it for the constants or variables on the lines right after it.
func docComments(t *testing.T, tree fs.FS) (complaints []string) {
	for _, file := range rootModule(t, tree) {
		if file.test || file.syntax.Name.Name == "main" {
			continue
		}
		for _, name := range undocumented(file) {
			complaints = append(complaints, fmt.Sprintf("%s: %s is exported and has no comment", file.lines.Position(name.Pos()), name.Name))
		}
	}
	return complaints
}

// fixedMeaning are the methods whose meaning the standard library has fixed.
var fixedMeaning = map[string]bool{"Error": true, "Is": true, "String": true, "Unwrap": true}

func undocumented(file sourceFile) (names []*ast.Ident) {
	for _, declared := range file.syntax.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			name := declared.Name
			if declared.Doc == nil && name.IsExported() && onExported(declared.Recv) && !fixedMeaning[name.Name] {
				names = append(names, declared.Name)
			}
		case *ast.GenDecl:
			if declared.Doc == nil && declared.Tok != token.IMPORT {
				names = append(names, undocumentedSpecs(file, declared.Specs)...)
			}
		}
	}
	return names
}

func undocumentedSpecs(file sourceFile, specs []ast.Spec) (names []*ast.Ident) {
	covered := 0 // the line on which the last comment still holds
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
				names = append(names, spec.Name)
			}
		case *ast.ValueSpec:
			if spec.Doc != nil || spec.Comment != nil || file.line(spec.Pos()) == covered {
				covered = file.line(spec.End()) + 1
				continue
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func (f sourceFile) line(at token.Pos) int { return f.lines.Position(at).Line }

// onExported is whether a method's receiver is an exported type; a function
// without a receiver is seen from outside as well.
func onExported(receiver *ast.FieldList) bool {
	if receiver == nil {
		return true
	}
	for of := receiver.List[0].Type; ; {
		switch typed := of.(type) {
		case *ast.StarExpr:
			of = typed.X
		case *ast.IndexExpr:
			of = typed.X
		case *ast.IndexListExpr:
			of = typed.X
		case *ast.Ident:
			return typed.IsExported()
		default:
			return true
		}
	}
}

func TestEveryExportedNameHasAComment(t *testing.T) { rule(docComments).holds(t) }

func TestTheDocCommentRuleCanFail(t *testing.T) {
	in := func(text string) fstest.MapFS {
		return fstest.MapFS{"indexer/indexer.go": goFile("package indexer\n" + text)}
	}
	for _, bare := range []string{
		"func Bare() {}",
		"type Bare struct{}",
		"const Bare = 1",
		"var (\n\tquiet = 1\n\tBare = 2\n)",
		"var (\n\t// Said is.\n\tSaid = 1\n\n\tBare = 2\n)",
		"// T is.\ntype T struct{}\nfunc (*T) Bare() {}",
		"// T is.\ntype T[A any] struct{}\nfunc (T[A]) Bare() {}",
		"// T is.\ntype T[A, B any] struct{}\nfunc (*T[A, B]) Bare() {}",
	} {
		rule(docComments).breaks(t, in(bare), "indexer/indexer.go", "Bare is exported")
	}
	for _, fine := range []string{
		"// Said is.\nfunc Said() {}",
		"type quiet[A any] struct{}\nfunc (*quiet[A]) Len() int { return 0 }",
		"type quiet[A, B any] struct{}\nfunc (quiet[A, B]) Len() int { return 0 }",
		"// Both are.\nconst (\n\tOne = 1\n\tTwo = 2\n)",
		"var (\n\t// One is.\n\tOne = 1\n\n\tTwo = 2 // is too\n)",
		"const (\n\t// One, Two, Three: counted.\n\tOne = iota\n\tTwo\n\tThree\n)",
	} {
		rule(docComments).passes(t, in(fine))
	}
}
