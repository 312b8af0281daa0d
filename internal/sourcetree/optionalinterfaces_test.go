package sourcetree_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// optionalInterfaces: a package that looks for optional methods in a value, by a type
// assertion, a type switch or a variable for errors.As, names them in an exported interface, so that its users find
// them. Interfaces with only unexported methods are not for users.
func optionalInterfaces(t *testing.T, tree fs.FS) (violations []string) {
	byFolder := map[string][]sourcetree.File{}
	for _, file := range sourcetree.RootModule(t, tree) {
		public := !strings.Contains("/"+file.Folder+"/", "/internal/") && !sourcetree.Within(file.Folder, "examples")
		if public && !file.Test && file.Syntax.Name.Name != "main" {
			byFolder[file.Folder] = append(byFolder[file.Folder], file)
		}
	}
	for _, files := range byFolder {
		unexported := unexportedInterfaces(files)
		for _, file := range files {
			for _, asserted := range assertedTypes(file.Syntax) {
				if methods := optionalMethods(asserted, unexported); len(methods) > 0 {
					violations = append(violations, fmt.Sprintf("%s: the optional methods %s are in no exported interface",
						position(file, asserted.Pos()), strings.Join(methods, ", ")))
				}
			}
		}
	}
	slices.Sort(violations)
	return violations
}

// ofKubernetes are the methods of metav1.Object, runtime.Object and generated code.
// Users know them.
var ofKubernetes = []string{"GetNamespace", "GetName", "GetUID", "GetResourceVersion", "GetLabels", "DeepCopyObject"}

// ofNet is the method of net.Error that errors of other packages have alone.
var ofNet = []string{"Timeout"}

// ofClientGo are optional interfaces of cache and their methods, which client-go defines.
var ofClientGo = []string{"Bookmark", "ShutdownChan", "MaxRetries", "IsWatchListSemanticsUnSupported"}

// erased are interfaces that replace one exported generic type without its type
// parameter: sharedInformer and observedInformer of controller for
// *informer.SharedInformer.
var erased = []string{"sharedInformer", "observedInformer"}

// unexportedInterfaces returns the interfaces that a package declares with unexported
// names.
func unexportedInterfaces(files []sourcetree.File) map[string]*ast.InterfaceType {
	found := map[string]*ast.InterfaceType{}
	for _, file := range files {
		for _, declared := range file.Syntax.Decls {
			group, ok := declared.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				spec := spec.(*ast.TypeSpec)
				if i, ok := spec.Type.(*ast.InterfaceType); ok && !spec.Name.IsExported() && !slices.Contains(erased, spec.Name.Name) {
					found[spec.Name.Name] = i
				}
			}
		}
	}
	return found
}

// assertedTypes returns the types of the type assertions and type switches of a file, and
// of the variables that its functions declare: errors.As assigns to them.
func assertedTypes(file *ast.File) (types []ast.Expr) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				types = append(types, n.Type)
			}
		case *ast.DeclStmt:
			if group, ok := n.Decl.(*ast.GenDecl); ok {
				for _, spec := range group.Specs {
					if declared, ok := spec.(*ast.ValueSpec); ok && declared.Type != nil {
						types = append(types, declared.Type)
					}
				}
			}
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				types = append(types, clause.(*ast.CaseClause).List...)
			}
		}
		return true
	})
	return types
}

// optionalMethods returns the exported methods of a type that is an interface without an
// exported name.
func optionalMethods(asserted ast.Expr, unexported map[string]*ast.InterfaceType) (methods []string) {
	if generic, ok := asserted.(*ast.IndexExpr); ok {
		asserted = generic.X
	}
	if name, ok := asserted.(*ast.Ident); ok {
		if i := unexported[name.Name]; i != nil {
			asserted = i
		}
	}
	i, ok := asserted.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	for _, method := range i.Methods.List {
		for _, name := range method.Names {
			if !name.IsExported() {
				return nil // only types of this package implement it
			}
			if !slices.Contains(ofKubernetes, name.Name) && !slices.Contains(ofClientGo, name.Name) && !slices.Contains(ofNet, name.Name) {
				methods = append(methods, name.Name)
			}
		}
	}
	return methods
}

func position(file sourcetree.File, at token.Pos) string { return file.FileSet.Position(at).String() }

func TestOptionalMethodsAreInExportedInterfaces(t *testing.T) {
	sourcetree.Rule(optionalInterfaces).Holds(t)
}

func TestTheOptionalInterfaceRuleCanFail(t *testing.T) {
	in := func(text string) fstest.MapFS {
		return fstest.MapFS{"indexer/indexer.go": sourcetree.Text("package indexer\n" + text)}
	}
	rule := sourcetree.Rule(optionalInterfaces)
	for _, text := range []string{
		"func f(v any) { _, _ = v.(interface{ Sync() }) }",
		"func f(v any) { switch v.(type) { case interface{ Sync() }: } }",
		"func f(err error) { var s interface{ Sync() bool }; _ = errors.As(err, &s) }",
		"type syncer interface { Sync() }; func f(v any) { _, _ = v.(syncer) }",
		"type syncer[T any] interface { Sync() T }; func f(v any) { _, _ = v.(syncer[int]) }",
	} {
		rule.Breaks(t, in(text), "Sync")
	}
	for _, text := range []string{
		"type Syncer interface { Sync() }; func f(v any) { _, _ = v.(Syncer) }",
		"func f(err error) { var s interface{ Timeout() bool }; _ = errors.As(err, &s) }",
		"func f(v any) { _, _ = v.(interface{ sync() }) }",
		"func f(v any) { _, _ = v.(interface{ GetName() string }) }",
		"func f(v any) { _, _ = v.(int) }",
	} {
		rule.Passes(t, in(text))
	}
}
