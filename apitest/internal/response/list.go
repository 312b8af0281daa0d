package response

import (
	"encoding/json"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// ListMeta is the metadata of a list.
type ListMeta struct {
	Version   string
	Next      string // the continue token, "" on the last page
	Remaining *int64
}

func (m ListMeta) text() ([]byte, error) {
	return json.Marshal(metav1.ListMeta{ResourceVersion: m.Version, Continue: m.Next, RemainingItemCount: m.Remaining})
}

// ListHead returns the text of a list up to its items.
func (f *Format) ListHead(res *registry.Resource, about ListMeta) ([]byte, error) {
	meta, err := about.text()
	if err != nil {
		return nil, err
	}
	kind, version := res.ListKind, res.GroupVersion().String()
	if f.Target.Kind != "" {
		kind, version = f.Target.Kind, f.Target.GroupVersion().String()
	} else if res.Custom && about.Next == "" {
		// Lists without their own Go type always have a continue field.
		meta = append([]byte(`{"continue":"",`), meta[1:]...)
	}
	out := append(make([]byte, 0, 40<<10), `{"kind":`...)
	out = strconv.AppendQuote(out, kind)
	out = append(out, `,"apiVersion":`...)
	out = strconv.AppendQuote(out, version)
	out = append(out, `,"metadata":`...)
	out = append(out, meta...)
	return append(out, `,"items":[`...), nil
}

// AppendItems appends objects as the items of a list. After each item, drain
// may remove the text so far.
func (f *Format) AppendItems(out []byte, res *registry.Resource, records []*storage.Record, drain func([]byte) ([]byte, error)) (_ []byte, err error) {
	for i, r := range records {
		if i > 0 {
			out = append(out, ',')
		}
		if f.Target.Kind != "" {
			partial, err := f.partial(r.Raw)
			if err != nil {
				return nil, err
			}
			out = append(out, partial...)
		} else {
			before, after := res.Item(r.Raw)
			out = append(append(out, before...), after...)
		}
		if out, err = drain(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}
