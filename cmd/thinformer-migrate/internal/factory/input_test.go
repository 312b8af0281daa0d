package factory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/factory"
)

// moduleOf writes a module with files, each named by its path, and returns its folder.
func moduleOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "go.mod", "module example.com/user\n\ngo 1.26.0\n")
	for name, text := range files {
		write(t, folder, name, text)
	}
	return folder
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func requireError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error\n%v\nhas no %q", err, part)
		}
	}
}

// stub is a factory of one kind, as informer-gen writes it, with types of its own instead of
// client-go's.
var stub = map[string]string{
	"gen/factory.go": `package gen

import (
	"example.com/user/api"
	"example.com/user/clientset"
	"example.com/user/gen/shop"
)

type (
	NewInformerFunc      func(clientset.Interface) any
	TweakListOptionsFunc func(any)
	SharedInformerOption func()
	GenericInformer      interface{ Informer() any }
	genericInformer      struct{ informer any }
)

type SharedInformerFactory interface {
	Start(stopCh <-chan struct{})
	InformerFor(obj any, newFunc NewInformerFunc) any
	ForResource(resource any) (*genericInformer, error)
	Shop() shop.Interface
}

type sharedInformerFactory struct{ SharedInformerFactory }

func NewSharedInformerFactory(client clientset.Interface, resync int) SharedInformerFactory { return nil }
func WithTweakListOptions(tweak TweakListOptionsFunc) SharedInformerOption                  { return nil }

func (f *sharedInformerFactory) ForResource(resource any) (*genericInformer, error) {
	switch resource {
	case api.SchemeGroupVersion.WithResource("widgets"):
		return &genericInformer{informer: f.Shop().V1().Widgets().Informer()}, nil
	}
	return nil, nil
}
`,
	"gen/shop/shop.go": `package shop

import "example.com/user/gen/shop/v1"

type Interface interface{ V1() v1.Interface }

func New(f any, namespace string, tweak any) Interface { return nil }
`,
	"gen/shop/v1/v1.go": `package v1

import "example.com/user/api"

type Interface interface{ Widgets() WidgetInformer }

type WidgetInformer interface {
	Informer() any
	Lister() WidgetLister
}

type WidgetLister interface {
	List(selector any) ([]*api.Widget, error)
}
`,
	"api/api.go": `package api

type (
	Widget     struct{}
	WidgetList struct{}
	version    struct{}
)

var SchemeGroupVersion version

func (version) WithResource(string) any { return nil }
`,
	"clientset/clientset.go": `package clientset

import "example.com/user/api"

type Interface interface{ ShopV1() ShopV1Interface }

type ShopV1Interface interface{ Widgets(namespace string) WidgetInterface }

type WidgetInterface interface {
	List(options any) (*api.WidgetList, error)
	Watch(options any) (any, error)
}
`,
}

// changed returns the stub with a change of one file.
func changed(t *testing.T, name, old, new string) string {
	t.Helper()
	files := map[string]string{}
	for file, text := range stub {
		if file == name {
			if !strings.Contains(text, old) {
				t.Fatalf("%s has no %q", name, old)
			}
			text = strings.ReplaceAll(text, old, new)
		}
		files[file] = text
	}
	return moduleOf(t, files)
}

// replaced returns the stub with a word replaced in all its texts and paths.
func replaced(t *testing.T, pairs ...string) string {
	t.Helper()
	files, replacer := map[string]string{}, strings.NewReplacer(pairs...)
	for file, text := range stub {
		files[replacer.Replace(file)] = replacer.Replace(text)
	}
	return moduleOf(t, files)
}

// Names of groups and packages that the file, or the language, uses for something else.
func TestNamesThatAreUsedOtherwise(t *testing.T) {
	for _, accessor := range []string{"Namespace", "Inner", "TweakListOptions", "Factory", "Engine", "Kinds", "View", "Groups", "In"} {
		t.Run(accessor, func(t *testing.T) {
			text, err := factory.Generate(replaced(t, "Shop", accessor), "example.com/user/gen", "informers")
			if err != nil || !strings.Contains(string(text), "func (f sharedInformerFactory) "+accessor+"() ") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
	for _, name := range []string{"string", "error", "append", "any", "engine", "view", "kinds", "time", "factory"} {
		t.Run("package "+name, func(t *testing.T) {
			folder := replaced(t, "api/api.go", name+"/"+name+".go", "package api", "package "+name,
				`"example.com/user/api"`, `api "example.com/user/`+name+`"`)
			text, err := factory.Generate(folder, "example.com/user/gen", "informers")
			if err != nil || !strings.Contains(string(text), name+`_2 "example.com/user/`+name+`"`) {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// What cannot be understood completely is an error that says what it is; there is no text.
func TestBadInput(t *testing.T) {
	if text, err := factory.Generate(moduleOf(t, stub), "example.com/user/gen", "informers"); err != nil || !strings.Contains(string(text), `api.SchemeGroupVersion.WithResource("widgets")`) {
		t.Fatalf("the stub itself is not understood: %v\n%s", err, text)
	}
	for name, test := range map[string]struct {
		folder, importPath, packageName string
		want                            []string
	}{
		"no path":                  {"", "", "informers", []string{"give the import path of one package"}},
		"a pattern":                {"", "./...", "informers", []string{"give the import path of one package"}},
		"no package name":          {"", "example.com/user/gen", "my informers", []string{`"my informers" is not the name of a package`}},
		"no such package":          {moduleOf(t, stub), "example.com/user/missing", "informers", []string{"example.com/user/missing", "go get"}},
		"no such folder":           {filepath.Join(t.TempDir(), "none"), "example.com/user/gen", "informers", []string{"load example.com/user/gen", "run the command in a module that requires it"}},
		"does not compile":         {changed(t, "gen/factory.go", "resync int", "resync number"), "example.com/user/gen", "informers", []string{"gen/factory.go", "undefined: number", "it must build"}},
		"an import does not":       {changed(t, "api/api.go", "struct{}", "struct"), "example.com/user/gen", "informers", []string{"it must build"}},
		"not a factory":            {moduleOf(t, stub), "example.com/user/api", "informers", []string{"has no type SharedInformerFactory", "informer-gen"}},
		"no constructor":           {changed(t, "gen/factory.go", "NewSharedInformerFactory(", "New("), "example.com/user/gen", "informers", []string{"no function NewSharedInformerFactory"}},
		"another constructor":      {changed(t, "gen/factory.go", ", resync int", ""), "example.com/user/gen", "informers", []string{"its NewSharedInformerFactory has other parameters"}},
		"another method":           {changed(t, "gen/factory.go", "Shop() shop", "Other(int)\n\tShop() shop"), "example.com/user/gen", "informers", []string{"Other(): the method is none that informer-gen 0.35 to 0.37 writes"}},
		"no ForResource":           {changed(t, "gen/factory.go", "sharedInformerFactory) ForResource", "sharedInformerFactory) ForResources"), "example.com/user/gen", "informers", []string{"it has no method ForResource"}},
		"a kind without a case":    {changed(t, "gen/shop/v1/v1.go", "Widgets() WidgetInformer", "Widgets() WidgetInformer; Others() WidgetInformer"), "example.com/user/gen", "informers", []string{"Shop(): V1().Others(): the client ShopV1 has no Others()"}},
		"another case":             {changed(t, "gen/factory.go", `api.SchemeGroupVersion.WithResource("widgets")`, `api.SchemeGroupVersion.WithResource("wid" + "gets")`), "example.com/user/gen", "informers", []string{"factory.go:", "the case of ForResource is none"}},
		"another resource":         {changed(t, "gen/factory.go", "f.Shop().V1().Widgets().Informer()", "nil"), "example.com/user/gen", "informers", []string{"the case of ForResource is none"}},
		"no client":                {changed(t, "clientset/clientset.go", "ShopV1()", "OtherV1()"), "example.com/user/gen", "informers", []string{"the clientset has no ShopV1()"}},
		"a client without a watch": {changed(t, "clientset/clientset.go", "Watch(", "Look("), "example.com/user/gen", "informers", []string{"cannot list and watch"}},
		"no factory for groups":    {changed(t, "gen/factory.go", "newFunc NewInformerFunc", "newFunc clientset.Interface"), "example.com/user/gen", "informers", []string{"example.com/user/clientset has no type SharedInformerFactory"}},
		"a group without New":      {changed(t, "gen/shop/shop.go", "func New(", "func Other("), "example.com/user/gen", "informers", []string{"example.com/user/gen/shop has no function New"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := factory.Generate(test.folder, test.importPath, test.packageName)
			requireError(t, err, test.want...)
			if text != nil {
				t.Errorf("there is a text too:\n%s", text)
			}
		})
	}
}

// The file is written completely or not at all, and replaces only a file of the command.
func TestWrite(t *testing.T) {
	folder := moduleOf(t, stub)
	file := filepath.Join(folder, "our-informers", "factory.go")
	for range 2 { // the second time it replaces its own file
		if err := factory.Write(file, "example.com/user/gen"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\npackage ourinformers\n") {
			t.Errorf("the package is not named after its folder:\n%s", text)
		}
	}
	write(t, folder, "named/other.go", "package shopinformers\n")
	if err := factory.Write(filepath.Join(folder, "named", "factory.go"), "example.com/user/gen"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(folder, "named", "factory.go")); !strings.Contains(string(text), "\npackage shopinformers\n") {
		t.Errorf("the package is not that of the folder:\n%s", text)
	}

	const mine = "package named\n"
	write(t, folder, "named/mine.go", mine)
	requireError(t, factory.Write(filepath.Join(folder, "named", "mine.go"), "example.com/user/gen"), "mine.go", "thinformer-factory has not written it")
	if text, _ := os.ReadFile(filepath.Join(folder, "named", "mine.go")); string(text) != mine {
		t.Error("the file was changed")
	}
	requireError(t, factory.Write(filepath.Join(folder, "named", "factory.txt"), "example.com/user/gen"), "not the name of a Go file")
	requireError(t, factory.Write(filepath.Join(folder, "1", "factory.go"), "example.com/user/gen"), `"1" is not the name of a package`, "a folder whose name is one")
	requireError(t, factory.Write(filepath.Join(folder, "none", "factory.go"), "example.com/user/missing"), "example.com/user/missing")
	if _, err := os.Stat(filepath.Join(folder, "none")); err == nil {
		t.Error("a failure has created a folder")
	}
	write(t, folder, "gen/factory.go", "// Code generated by informer-gen. DO NOT EDIT.\n\n"+stub["gen/factory.go"])
	requireError(t, factory.Write(filepath.Join(folder, "gen", "ours.go"), "example.com/user/gen"), "generated by informer-gen", "a folder of its own")
	left, err := filepath.Glob(filepath.Join(folder, "*", ".factory-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}
