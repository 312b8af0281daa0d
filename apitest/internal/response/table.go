package response

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
)

// Table returns objects as a Table.
func (f *Format) Table(res *registry.Resource, objects [][]byte, about ListMeta) ([]byte, error) {
	tableFormat := res.TableFormat()
	meta, err := about.text()
	if err != nil {
		return nil, err
	}
	columns := tableFormat.Columns
	if f.headless {
		columns = nil
	}
	head, err := json.Marshal(columns)
	if err != nil {
		return nil, err
	}
	out := []byte(`{"kind":"Table","apiVersion":"meta.k8s.io/` + f.Target.Version + `","metadata":`)
	out = append(out, meta...)
	out = append(append(out, `,"columnDefinitions":`...), head...)
	if len(objects) == 0 && tableFormat.Bare {
		return append(out, `,"rows":null}`...), nil
	}
	out = append(out, `,"rows":[`...)
	for i, text := range objects {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = f.appendRow(out, res, tableFormat, text); err != nil {
			return nil, err
		}
	}
	return append(out, `]}`...), nil
}

func (f *Format) appendRow(out []byte, res *registry.Resource, tableFormat registry.TableFormat, text []byte) ([]byte, error) {
	object, err := objects.Decode(text)
	if err != nil {
		return nil, err
	}
	cells, err := json.Marshal(tableFormat.Cells(object.Object))
	if err != nil {
		return nil, fmt.Errorf("print %s %s: %w", res.Kind, object.GetName(), err)
	}
	out = append(append(out, `{"cells":`...), cells...)
	out = append(out, `,"object":`...)
	switch f.Include {
	case metav1.IncludeObject:
		out = append(out, res.Versioned(text)...)
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
