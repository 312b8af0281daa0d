package debug

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The package comment names every field of the JSON, with a ? if it may be
// missing, and none that there is not.
func TestThePackageCommentListsTheJSON(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "# The JSON\n")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n// #")

	documented := map[string]bool{}
	for line := range strings.Lines(list) {
		row, isRow := strings.CutPrefix(line, "//\t")
		if !isRow {
			continue
		}
		// The names end where two spaces stand.
		names, _, _ := strings.Cut(strings.TrimSpace(row), "  ")
		for name := range strings.SplitSeq(names, ",") {
			documented[strings.TrimSpace(name)] = true
		}
	}
	there := map[string]bool{}
	for _, a := range []answer{overview{}, listing{}, detail{}, failure{}} {
		fieldsOf(reflect.TypeOf(a), there)
	}
	require.Equal(t, there, documented)
}

func fieldsOf(t reflect.Type, there map[string]bool) {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, how, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && how != "" {
			name += "?"
		}
		if name != "" {
			there[name] = true
		}
		fieldsOf(field.Type, there)
	}
}
