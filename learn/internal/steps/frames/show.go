package frames

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	jsoniter "github.com/json-iterator/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
)

// show prints the reads and the events of a stream, and what other ways to decode make of
// it.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		showEvents(w)
		fmt.Fprintln(w)
		showEnds(w)
		fmt.Fprintln(w)
		showUnstructured(w)
	})
}

const mark = `"k8s.io/initial-events-end":"true"`

// showEvents prints what is read, and the events, in their order.
func showEvents(w io.Writer) {
	added, deleted := frame("ADDED", "web", "7"), frame("DELETED", "web", "9")
	expired := `{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}}`
	decoder := reference.Parts().NewDecoder(&printed{w, newBody(added[:40], added[40:]+bookmark("8", mark), deleted+expired)})
	for {
		event, err := decoder.Next()
		var status *apierrors.StatusError
		switch {
		case err == io.EOF:
			fmt.Fprintln(w, "  io.EOF")
			return
		case errors.As(err, &status):
			fmt.Fprintf(w, "  *errors.StatusError: %v, IsResourceExpired %v\n", err, apierrors.IsResourceExpired(err))
		default:
			fmt.Fprintf(w, "  %s", describe(event))
			if event.InitialEventsEnd {
				fmt.Fprint(w, " InitialEventsEnd")
			}
			fmt.Fprintln(w)
		}
	}
}

// printed prints what is read.
type printed struct {
	w    io.Writer
	body io.Reader
}

func (p *printed) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	text := strings.ReplaceAll(string(b[:n]), "\n", `\n`)
	if half := 27; len(text) > 2*half {
		text = text[:half] + "..." + text[len(text)-half:]
	}
	if n > 0 {
		fmt.Fprintf(p.w, "Read %3d bytes: %s\n", n, text)
	}
	return n, err
}

// showEnds prints the error of each decoder at the end of a stream.
func showEnds(w io.Writer) {
	compatible := jsoniter.ConfigCompatibleWithStandardLibrary
	whole := "{\"a\":1}\n"
	for _, sent := range []string{whole, whole + "{\"a\":"} {
		fmt.Fprintf(w, "the end of a stream, after %q\n", sent)
		report := func(name string, decode func(any) error) {
			var err error
			for err == nil {
				err = decode(new(struct{ A int }))
			}
			text, _, _ := strings.Cut(err.Error(), ", error found")
			fmt.Fprintf(w, "  %s: %s\n", name, strings.Trim(fmt.Sprintf("%+q", text), `"`))
		}
		report("json-iterator", compatible.NewDecoder(strings.NewReader(sent)).Decode)
		report("encoding/json", json.NewDecoder(strings.NewReader(sent)).Decode)
	}
}

// showUnstructured prints the type of an integer in content without a Go type.
func showUnstructured(w io.Writer) {
	content := []byte(`{"spec":{"replicas":3}}`)
	for _, decoder := range []struct {
		name      string
		unmarshal func([]byte, any) error
	}{{"json-iterator", jsoniter.Unmarshal}, {"util/json", kubejson.Unmarshal}} {
		object := unstructured.Unstructured{}
		if err := decoder.unmarshal(content, &object.Object); err != nil {
			fmt.Fprintln(w, err)
			return
		}
		replicas, found, err := unstructured.NestedInt64(object.Object, "spec", "replicas")
		fmt.Fprintf(w, "%s, NestedInt64 of %s: %d, %v\n  %v\n", decoder.name, content, replicas, found, err)
	}
}
