package column

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A cell has a value only if the value fits the type of the column.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		kind        string
		value, want any
	}{
		{"string", "a", "a"}, {"string", int64(3), "3"}, {"string", true, "true"}, {"string", map[string]any{"a": int64(1)}, `{"a":1}`}, {"string", nil, nil},
		{"integer", int64(3), int64(3)}, {"integer", 3.7, int64(3)}, {"integer", "3", nil}, {"number", int64(3), 3.0}, {"number", 1.5, 1.5}, {"number", "x", nil},
		{"boolean", true, true}, {"boolean", "true", nil}, {"date", "yesterday", "<invalid>"}, {"date", "", "<unknown>"}, {"date", int64(1), nil}, {"other", "x", nil},
	} {
		require.Equal(t, c.want, cellValue(c.kind, c.value), "%+v", c)
	}
}

// A column has the value at its path; if the path is not supported, it is empty.
func TestColumns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		object := map[string]any{"spec": map[string]any{"size": int64(3)}, "made": time.Now().Add(-90 * time.Second).Format(time.RFC3339)}
		for _, c := range []struct {
			column Column
			want   any
		}{
			{Column{Type: "integer", JSONPath: ".spec.size"}, int64(3)},
			{Column{Type: "string", JSONPath: ".spec.size"}, "3"},
			{Column{Type: "boolean", JSONPath: ".spec.size"}, nil},
			{Column{Type: "integer", JSONPath: ".spec.absent"}, nil},
			{Column{Type: "integer", JSONPath: ".spec.size | more"}, nil},
			{Column{Type: "date", JSONPath: ".made"}, "90s"},
		} {
			require.Equal(t, c.want, c.column.Cell()(object), "%+v", c)
		}
	})
}
