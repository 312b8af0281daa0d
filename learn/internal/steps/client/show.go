package client

import (
	"fmt"
	"io"
	"strings"

	jsoniter "github.com/json-iterator/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints requests, the errors of some responses, and the differences between
// json-iterator and the decoder of apimachinery.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		showRequests(t, w)
		fmt.Fprintln(w)
		showErrors(t, w)
		fmt.Fprintln(w)
		showDecoders(w)
	})
}

func showRequests(t *judge.T, w io.Writer) {
	for _, name := range []string{"web", "a?watch=1", "../secrets"} {
		r := responding(t, 200, jsonType, object)
		b := verb(t, newClient(t, reference.Parts(), r), "GET").namespace("shop").resource("configmaps").name(name)
		if err := b.into(nil); err != nil {
			_, text, _ := strings.Cut(err.Error(), "configmaps: ")
			fmt.Fprintf(w, "Name(%q): %d requests, %s\n", name, len(r.requests), text)
		} else {
			fmt.Fprintf(w, "Name(%q): GET %s\n", name, r.requests[0].URL.RequestURI())
		}
	}
}

// showErrors prints the error of Into for some responses, and what recognizes it.
func showErrors(t *judge.T, w io.Writer) {
	gone := failure(`"message":"configmaps \"web\" not found","reason":"NotFound","code":404`)
	half := func() io.Reader { return &cut{strings.NewReader(object[:60]), io.ErrUnexpectedEOF} }
	for _, test := range []struct {
		name string
		r    *transport
	}{
		{"404, a Status", responding(t, 404, jsonType, gone)},
		{"200, a Status", responding(t, 200, jsonType, gone)},
		{"404, text", responding(t, 404, "text/plain", "404 page not found")},
		{"200, half an object", respondingWith(t, 200, jsonType, half)},
	} {
		err := getWeb(t, reference.Parts(), test.r).into(new(stack.ConfigMap))
		_, text, _ := strings.Cut(err.Error(), "/web: ")
		fmt.Fprintf(w, "%-19s IsNotFound %v\n  %s\n", test.name, apierrors.IsNotFound(err), text)
	}
}

// shown is the type that showDecoders decodes into.
type shown struct {
	Name string
	Any  any
}

// showDecoders prints what each decoder makes of the same bytes.
func showDecoders(w io.Writer) {
	compatible := jsoniter.ConfigCompatibleWithStandardLibrary
	sensitive := jsoniter.Config{EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true, CaseSensitive: true}.Froze()
	row := func(first string, others ...any) {
		fmt.Fprintf(w, "%-25s %-17v %-17v %v\n", append([]any{first}, others...)...)
	}
	row("", "json-iterator", "json-iterator", "apimachinery")
	row("", "compatible", "CaseSensitive", "util/json v0.37")
	for _, encoded := range []string{`{"name":"web"}`, "{\"Name\":\"a\xffb\"}", `{"Any":3}`, `{"Any":9007199254740993}`} {
		var cells []any
		for _, unmarshal := range []func([]byte, any) error{compatible.Unmarshal, sensitive.Unmarshal, kubejson.Unmarshal} {
			var decoded shown
			if err := unmarshal([]byte(encoded), &decoded); err != nil {
				decoded.Name = err.Error()
			}
			cells = append(cells, cell(decoded))
		}
		row(strings.ReplaceAll(encoded, "\xff", `\xff`), cells...)
	}
	metadata := metav1.ObjectMeta{Name: "web"}
	one, _ := sensitive.Marshal(metadata)
	two, _ := kubejson.Marshal(metadata)
	fmt.Fprintf(w, "ObjectMeta, encoded by json-iterator: %s\n%38s%s\n", one, "by util/json: ", two)
	secret := []byte(`{"data":{"password":"c2VjcmV0"},"Name":5}`)
	lines := strings.NewReplacer(", error found", ",\n  error found", "..., bigger", "...,\n  bigger")
	fmt.Fprintf(w, "a wrong type, json-iterator:\n  %s\n", lines.Replace(sensitive.Unmarshal(secret, new(shown)).Error()))
	fmt.Fprintf(w, "a wrong type, util/json:\n  %v\n", kubejson.Unmarshal(secret, new(shown)))
}

// cell shows a decoded value: the name, the type of the number, or a large number.
func cell(decoded shown) string {
	switch number := decoded.Any.(type) {
	case float64:
		if number > 3 {
			return fmt.Sprintf("%.0f", number)
		}
	case int64:
		if number > 3 {
			return fmt.Sprint(number)
		}
	case nil:
		return fmt.Sprintf("%+q", decoded.Name)
	}
	return fmt.Sprintf("%T", decoded.Any)
}
