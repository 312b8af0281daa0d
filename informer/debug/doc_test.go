package debug

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The package comment lists the fields of the JSON, with a ? for those that are omitted
// if empty.
func TestPackageCommentListsJSON(t *testing.T) {
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
		// Two spaces follow the names.
		names, _, _ := strings.Cut(strings.TrimSpace(row), "  ")
		for name := range strings.SplitSeq(names, ",") {
			documented[strings.TrimSpace(name)] = true
		}
	}
	fields := map[string]bool{}
	for _, a := range []answer{overview{}, &listing{}, &detail{}, failure{}} {
		fieldsOf(reflect.Indirect(reflect.ValueOf(a)).Type(), fields)
	}
	require.Equal(t, fields, documented)
}

func fieldsOf(t reflect.Type, fields map[string]bool) {
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
			fields[name] = true
		}
		fieldsOf(field.Type, fields)
	}
}
