package apirecord_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/apirecord"
)

// ioOnly imports a package io with two of its types, so that the tests need no sources of
// the standard library.
type ioOnly struct{}

func (ioOnly) Import(path string) (*types.Package, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "io.go", "package io; type Reader interface { Read([]byte) (int, error) }; type Closer interface { Close() error }", 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, set, []*ast.File{file}, nil)
}

func linesOf(t *testing.T, source string) []string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", "package p\n"+source, 0)
	require.NoError(t, err)
	config := types.Config{Importer: ioOnly{}}
	pkg, err := config.Check("example.com/p", set, []*ast.File{file}, nil)
	require.NoError(t, err)
	return apirecord.Lines(pkg)
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"constants", "type M int; const A M = 3; const b = 4", []string{"const A M = 3", "type M int, comparable"}},
		{"functions", "func F(a int, b ...string) (n int, err error) { return }", []string{"func F(int, ...string) (int, error)"}},
		{"parameters that are functions", "var V map[int]func(of func(a int) (b bool)) []func(c int)", []string{"var V map[int]func(func(int) bool) []func(int)"}},
		{"type parameters", "func F[T any, K comparable](of func(T) K) T { panic(0) }", []string{"func F[T any, K comparable](func(T) K) T"}},
		{"variables", "import \"io\"; var V io.Reader; var v int", []string{"var V io.Reader"}},
		{"aliases", "type A = []byte", []string{"type A = []byte"}},
		{"fields", "type S struct { A int `json:\"a\"`; b int }", []string{"field S.A int `json:\"a\"`", "type S struct, comparable"}},
		{"a struct with a slice", "type S struct { a []int }", []string{"type S struct"}},
		{"promoted by an unexported type", "type inner struct { A int }; func (inner) M() {}; func (*inner) P() {}; type S struct { inner }",
			[]string{"field S.A int", "method (*S) P()", "method (S) M()", "type S struct, comparable"}},
		{"promoted by an exported type", "type In struct { A int }; func (In) M() {}; type S struct { In }",
			[]string{"field In.A int", "field S.In embedded In", "method (In) M()", "type In struct, comparable", "type S struct, comparable"}},
		{"methods", "type S[T any] struct { a T }; func (S[T]) V(T) {}; func (*S[T]) P() {}; func (S[T]) hidden() {}",
			[]string{"method (*S) P()", "method (S) V(T)", "type S[T any] struct"}},
		{"interfaces", "import \"io\"; type I interface { io.Closer; M(x int) }",
			[]string{"interface I embeds io.Closer", "method (I interface) M(int)", "type I interface, comparable"}},
		{"interfaces with unexported methods", "type I interface { m() }",
			[]string{"interface I has unexported methods", "type I interface, comparable"}},
		{"a named function type", "type F func(int) error; func (f F) M() {}", []string{"method (F) M()", "type F func(int) error"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, linesOf(t, c.source)) })
	}
}

func TestCompareSeparatesBreaksFromAdditions(t *testing.T) {
	before := "type S struct { A int }; type I interface { M() }; func F(int) {}"
	for _, c := range []struct {
		name, after string
		want        apirecord.Changes
	}{
		{"nothing changed", before, apirecord.Changes{}},
		{"a function is added", before + "; func G() {}", apirecord.Changes{Additions: []string{"func G()"}}},
		{"a field is added", "type S struct { A, B int }; type I interface { M() }; func F(int) {}",
			apirecord.Changes{Additions: []string{"field S.B int"}}},
		{"a field makes a struct incomparable", "type S struct { A int; b []int }; type I interface { M() }; func F(int) {}",
			apirecord.Changes{Breaks: []string{"missing: type S struct, comparable"}, Additions: []string{"type S struct"}}},
		{"a parameter changed", "type S struct { A int }; type I interface { M() }; func F(string) {}",
			apirecord.Changes{Breaks: []string{"missing: func F(int)"}, Additions: []string{"func F(string)"}}},
		{"a field is gone", "type S struct { }; type I interface { M() }; func F(int) {}",
			apirecord.Changes{Breaks: []string{"missing: field S.A int"}}},
		{"an interface has another method", "type S struct { A int }; type I interface { M(); N() }; func F(int) {}",
			apirecord.Changes{Breaks: []string{"new in an interface: method (I interface) N()"}}},
		{"an interface is new", before + "; type J interface { N() }",
			apirecord.Changes{Additions: []string{"method (J interface) N()", "type J interface, comparable"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, apirecord.Compare(linesOf(t, before), linesOf(t, c.after)))
		})
	}
}
