package registry

import (
	"github.com/thinformer/thinformer/internal/column"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TableFormat describes a Table: its columns, and the cells of an object.
type TableFormat struct {
	Columns []metav1.TableColumnDefinition
	Cells   func(object map[string]any) []any
	// Bare tables, of kinds without columns of their own, have null rows when they
	// are empty, not an empty list.
	Bare bool
}

// metadataColumn returns a column for a field of the metadata, with the
// description of the API.
func metadataColumn(name, kind, format, field string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: kind, Format: format, Description: metav1.ObjectMeta{}.SwaggerDoc()[field]}
}

// TableFormat returns the Table of a kind. Custom resources have the columns of
// their definition.
func (r *Resource) TableFormat() TableFormat {
	if r.Custom {
		return customTableFormat(r.Columns)
	}
	return TableFormat{
		Bare:    true,
		Columns: []metav1.TableColumnDefinition{metadataColumn("Name", "string", "name", "name"), metadataColumn("Created At", "date", "", "creationTimestamp")},
		Cells: func(object map[string]any) []any {
			meta, _ := object["metadata"].(map[string]any)
			name, _ := meta["name"].(string)
			created, given := meta["creationTimestamp"].(string)
			if !given {
				created = "0001-01-01T00:00:00Z" // the zero time
			}
			return []any{name, created}
		},
	}
}

func customTableFormat(columns []column.Column) TableFormat {
	p := TableFormat{Columns: []metav1.TableColumnDefinition{metadataColumn("Name", "string", "name", "name")}}
	if len(columns) == 0 {
		age := metadataColumn("Age", "date", "", "creationTimestamp")
		columns = []column.Column{{Name: age.Name, Type: age.Type, Description: age.Description, JSONPath: ".metadata.creationTimestamp"}}
	}
	var further []func(map[string]any) any
	for _, c := range columns {
		definition := metav1.TableColumnDefinition{Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority}
		if definition.Description == "" {
			definition.Description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		p.Columns = append(p.Columns, definition)
		further = append(further, c.Cell())
	}
	p.Cells = func(object map[string]any) []any {
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
