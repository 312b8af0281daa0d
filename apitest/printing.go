package apitest

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/column"
)

// printed is a table for people: what its columns are, and what is in them for
// one object.
type printed struct {
	columns []metav1.TableColumnDefinition
	cells   func(object map[string]any) []any
	// bare tables, of kinds without columns of their own, have no rows at all
	// when they are empty, and not a list of none.
	bare bool
}

// listMeta is what a list says about itself.
type listMeta struct {
	version   string
	next      string // the continue token, "" at the end
	remaining *int64
}

func (m listMeta) text() ([]byte, error) {
	return json.Marshal(metav1.ListMeta{ResourceVersion: m.version, Continue: m.next, RemainingItemCount: m.remaining})
}

// table is objects as a Table.
func (f *format) table(res *resource, objects [][]byte, about listMeta) ([]byte, error) {
	print := res.printed()
	meta, err := about.text()
	if err != nil {
		return nil, err
	}
	columns := print.columns
	if f.headless {
		columns = nil
	}
	head, err := json.Marshal(columns)
	if err != nil {
		return nil, err
	}
	out := []byte(`{"kind":"Table","apiVersion":"meta.k8s.io/` + f.as.Version + `","metadata":`)
	out = append(out, meta...)
	out = append(append(out, `,"columnDefinitions":`...), head...)
	if len(objects) == 0 && print.bare {
		return append(out, `,"rows":null}`...), nil
	}
	out = append(out, `,"rows":[`...)
	for i, text := range objects {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = f.appendRow(out, res, print, text); err != nil {
			return nil, err
		}
	}
	return append(out, `]}`...), nil
}

func (f *format) appendRow(out []byte, res *resource, print printed, text []byte) ([]byte, error) {
	object, err := decode(text)
	if err != nil {
		return nil, err
	}
	cells, err := json.Marshal(print.cells(object.Object))
	if err != nil {
		return nil, fmt.Errorf("print %s %s: %w", res.Kind, object.GetName(), err)
	}
	out = append(append(out, `{"cells":`...), cells...)
	out = append(out, `,"object":`...)
	switch f.include {
	case metav1.IncludeObject:
		out = append(out, res.versioned(text)...)
	case metav1.IncludeNone:
		out = append(out, "null"...)
	default:
		partial, err := f.partial(text)
		if err != nil {
			return nil, err
		}
		out = append(out, partial...)
	}
	return append(out, '}'), nil
}

// described is a column with the words of the API for a field of the metadata.
func described(name, kind, format, field string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: kind, Format: format, Description: metav1.ObjectMeta{}.SwaggerDoc()[field]}
}

// printed is the table of a kind: a custom resource's is in its definition.
func (r *resource) printed() printed {
	if r.custom {
		return printedCustom(r.columns)
	}
	return printed{
		bare:    true,
		columns: []metav1.TableColumnDefinition{described("Name", "string", "name", "name"), described("Created At", "date", "", "creationTimestamp")},
		cells: func(object map[string]any) []any {
			meta, _ := object["metadata"].(map[string]any)
			name, _ := meta["name"].(string)
			created, given := meta["creationTimestamp"].(string)
			if !given {
				created = "0001-01-01T00:00:00Z" // what a time is that is none
			}
			return []any{name, created}
		},
	}
}

func printedCustom(columns []column.Column) printed {
	p := printed{columns: []metav1.TableColumnDefinition{described("Name", "string", "name", "name")}}
	if len(columns) == 0 {
		age := described("Age", "date", "", "creationTimestamp")
		columns = []column.Column{{Name: age.Name, Type: age.Type, Description: age.Description, JSONPath: ".metadata.creationTimestamp"}}
	}
	var further []func(map[string]any) any
	for _, c := range columns {
		of := metav1.TableColumnDefinition{Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority}
		if of.Description == "" {
			of.Description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		p.columns = append(p.columns, of)
		further = append(further, c.Cell())
	}
	p.cells = func(object map[string]any) []any {
		meta, _ := object["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		cells := []any{name}
		for _, cell := range further {
			cells = append(cells, cell(object))
		}
		return cells
	}
	return p
}
