package response

import (
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
)

// Object converts a stored object for a response. The result may share memory
// with the text.
func (f *Format) Object(res *registry.Resource, text []byte) ([]byte, error) {
	switch f.Target.Kind {
	case "":
		return res.Versioned(text), nil
	case "Table":
		table, err := f.Table(res, [][]byte{text}, ListMeta{Version: objects.VersionText(text)})
		f.headless = true
		return table, err
	}
	return f.partial(text)
}

// partial returns an object with its metadata only.
func (f *Format) partial(text []byte) ([]byte, error) {
	meta, err := objects.MetadataText(text)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(meta)+100)
	out = append(out, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/`...)
	out = append(append(out, f.Target.Version...), `","metadata":`...)
	out = append(out, meta...)
	return append(out, '}'), nil
}
