package sourcetree_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// docComments: every exported function, method, type, constant and variable of
// the module has a comment. The comment of a group counts for its members. A comment
// within a group counts for the constants or variables on the lines right after it.
func docComments(t *testing.T, tree fs.FS) (violations []string) {
	for _, file := range sourcetree.RootModule(t, tree) {
		if file.Test || file.Syntax.Name.Name == "main" {
			continue
		}
		for _, name := range undocumented(file) {
			violations = append(violations, fmt.Sprintf("%s: %s is exported and has no comment", file.FileSet.Position(name.Pos()), name.Name))
		}
	}
	return violations
}

// fixedMeaning are the methods whose meaning the standard library defines.
var fixedMeaning = map[string]bool{"Error": true, "Is": true, "String": true, "Unwrap": true}

func undocumented(file sourcetree.File) (names []*ast.Ident) {
	for _, declared := range file.Syntax.Decls {
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

func undocumentedSpecs(file sourcetree.File, specs []ast.Spec) (names []*ast.Ident) {
	covered := 0 // the last line that the last comment covers
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
				names = append(names, spec.Name)
			}
		case *ast.ValueSpec:
			if spec.Doc != nil || spec.Comment != nil || line(file, spec.Pos()) == covered {
				covered = line(file, spec.End()) + 1
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

func line(file sourcetree.File, at token.Pos) int { return file.FileSet.Position(at).Line }

// onExported reports whether the receiver's type is exported, or there is no
// receiver.
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

func TestEveryExportedNameHasAComment(t *testing.T) { sourcetree.Rule(docComments).Holds(t) }

func TestTheDocCommentRuleCanFail(t *testing.T) {
	in := func(text string) fstest.MapFS {
		return fstest.MapFS{"indexer/indexer.go": sourcetree.Text("package indexer\n" + text)}
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
		sourcetree.Rule(docComments).Breaks(t, in(bare), "indexer/indexer.go", "Bare is exported")
	}
	for _, fine := range []string{
		"// Said is.\nfunc Said() {}",
		"type quiet[A any] struct{}\nfunc (*quiet[A]) Len() int { return 0 }",
		"type quiet[A, B any] struct{}\nfunc (quiet[A, B]) Len() int { return 0 }",
		"// Both are.\nconst (\n\tOne = 1\n\tTwo = 2\n)",
		"var (\n\t// One is.\n\tOne = 1\n\n\tTwo = 2 // is too\n)",
		"const (\n\t// One, Two, Three: counted.\n\tOne = iota\n\tTwo\n\tThree\n)",
	} {
		sourcetree.Rule(docComments).Passes(t, in(fine))
	}
}
