package factory

import (
	"strings"
	"testing"
)

// A file that does not build is an error, which says where; packages that the generated
// factory does not import are not needed.
func TestCheck(t *testing.T) {
	loaded, err := load("", "go/token")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"package a; import \"example.com/none\"; var A = none.B.C()":                           "",
		"package a; import \"go/token\"; var A string = token.NoPos.IsValid()":                 "factory.go:1:46: cannot use token.NoPos.IsValid()",
		"package a; import \"go/token\"; var A = token.None":                                   "undefined: token.None",
		"package a; import \"strconv\"; var A int = strconv.Itoa(1)":                           "cannot use strconv.Itoa(1)",
		"package a; type b struct{ B int }; func (b) B() {}":                                   "field and method with the same name B",
		"package a; import \"example.com/none\"; type b struct{ none.C }; func (b) D() int {}": "missing return",
		"package a;;;": "factory.go:1:",
	} {
		err := check(loaded, []byte(text))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
