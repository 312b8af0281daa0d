package sources

import (
	"go/ast"
	"go/types"
	"iter"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// A Source is a call that creates informers, or that obtains one.
type Source struct {
	File *program.File
	Line int
	Call string // for example informers.NewSharedInformerFactory
	Kind string
	// Package is the import path of the called function.
	Package string
}

// The kinds of sources, as a report names them.
const (
	Constructor = "a constructor of client-go"
	Generated   = "client-go's generated factory"
	Others      = "a generated factory" // and its package
	Dynamic     = "client-go's dynamic factory"
	Metadata    = "client-go's metadata factory"
	Group       = "a constructor of a group's package"
	Accessors   = "a group's package, over a factory"
	Runtime     = "controller-runtime's cache"
	Watcher     = "a watcher of client-go, which creates an informer"
	Here        = "this library"
)

// constructors are the functions of tools/cache that create an informer or reflector.
var constructors = []string{
	"NewSharedIndexInformer", "NewSharedIndexInformerWithOptions", "NewSharedInformer",
	"NewInformer", "NewIndexerInformer", "NewTransformingInformer", "NewTransformingIndexerInformer", "NewInformerWithOptions",
	"NewReflector", "NewNamedReflector", "NewReflectorWithOptions", "NewNamespaceKeyedIndexerAndReflector", "New",
}

// watchers are the functions of tools/watch that create an informer.
var watchers = []string{"UntilWithSync", "NewIndexerInformerWatcher", "NewIndexerInformerWatcherWithContext", "NewIndexerInformerWatcherWithLogger"}

// Find returns the sources in a program, in the order of files and lines.
func Find(found *proposal.Proposal) []Source {
	var all []Source
	seen := map[*program.File]bool{}
	for _, pkg := range found.Affected {
		result := found.Base[pkg.ID]
		for _, file := range pkg.Files {
			if seen[file] || file.Generated {
				continue
			}
			seen[file] = true
			for ident, text := range called(file.Syntax) {
				function := result.Info.Uses[ident]
				if function == nil || function.Pkg() == nil || function.Pkg().Path() == pkg.Path {
					continue
				}
				kind := ""
				switch function := function.(type) {
				case *types.Func:
					kind = kindOf(function)
				case *types.Var:
					if function.Pkg().Path() == "sigs.k8s.io/controller-runtime" && function.Name() == "NewManager" {
						kind = Runtime // a variable with the function manager.New
					}
				}
				if kind != "" {
					all = append(all, Source{
						File: file, Line: found.Program.Fset.PositionFor(ident.Pos(), false).Line,
						Call: text, Kind: kind, Package: function.Pkg().Path(),
					})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Source) int {
		if n := strings.Compare(a.File.Path, b.File.Path); n != 0 {
			return n
		}
		return a.Line - b.Line
	})
	return slices.Compact(all)
}

// called yields the names in a file that can be those of functions of other packages, as they
// are written: with their package, or alone after a dot import.
func called(file *ast.File) iter.Seq2[*ast.Ident, string] {
	return func(yield func(*ast.Ident, string) bool) {
		selected := map[*ast.Ident]bool{}
		more := true
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				selected[n.Sel] = true
				text := n.Sel.Name
				if x, ok := n.X.(*ast.Ident); ok {
					text = x.Name + "." + text
				}
				more = more && yield(n.Sel, text)
			case *ast.Ident:
				more = more && (selected[n] || yield(n, n.Name))
			}
			return more
		})
	}
}

// kindOf returns the kind of source that a function is, and "" for other functions.
func kindOf(function *types.Func) string {
	path, name := function.Pkg().Path(), function.Name()
	method := function.Signature().Recv() != nil
	switch {
	case path == standin.ClientCache && !method && slices.Contains(constructors, name):
		return Constructor
	case path == "k8s.io/client-go/dynamic/dynamicinformer" && !method && strings.HasPrefix(name, "New"):
		return Dynamic
	case path == "k8s.io/client-go/metadata/metadatainformer" && !method && strings.HasPrefix(name, "New"):
		return Metadata
	case path == "k8s.io/client-go/tools/watch" && slices.Contains(watchers, name):
		return Watcher
	case path == standin.ClientInformers && !method && isFactory(function):
		return Generated
	case strings.HasPrefix(path, standin.ClientInformers+"/") && !method && strings.HasSuffix(name, "Informer") && strings.HasPrefix(name, "New"):
		return Group
	case proposal.FactoryOfNew(function) != "":
		return Accessors
	case strings.HasPrefix(path, standin.Module+"/") && !method && (isFactory(function) || createsHere(path, name)):
		return Here
	case !method && (name == "In" || strings.HasPrefix(name, "New") && strings.Contains(name, "Informer")) && proposal.IsWritten(function.Pkg()):
		return Here
	case !method && isFactory(function):
		return Others + ": " + path
	case strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/pkg/cache") && (name == "GetInformer" || name == "GetInformerForKind" || name == "New" && !method):
		return Runtime
	case path == "sigs.k8s.io/controller-runtime/pkg/manager" && name == "New" && !method:
		return Runtime
	case strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/pkg/") && method && name == "GetCache":
		return Runtime
	}
	return ""
}

// createsHere reports whether a function of this project creates an informer or a reflector.
func createsHere(path, name string) bool {
	switch strings.TrimPrefix(path, standin.Module+"/") {
	case "cache", "interop":
		return slices.Contains(constructors, name)
	case "cache/watch":
		return slices.Contains(watchers, name)
	case "informer":
		return name == "New" || name == "NewFrom" || name == "For"
	case "reflector":
		return name == "New"
	case "interop/informers", "interop/dynamicinformer", "interop/metadatainformer":
		return name == "In" || strings.HasPrefix(name, "New") && strings.Contains(name, "Informer")
	}
	return false
}

// isFactory reports whether a function is a constructor of a generated factory.
func isFactory(function *types.Func) bool {
	if !strings.HasPrefix(function.Name(), "New") || !strings.Contains(function.Name(), "SharedInformerFactory") {
		return false
	}
	results := function.Signature().Results()
	if results.Len() != 1 {
		return false
	}
	methods := types.NewMethodSet(results.At(0).Type())
	return methods.Lookup(function.Pkg(), "InformerFor") != nil && methods.Lookup(function.Pkg(), "WaitForCacheSync") != nil
}
