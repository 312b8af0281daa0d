package apitest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// inProtobuf sends a request with a protobuf body.
func inProtobuf(t *testing.T, s *Server, method, path, body string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/vnd.kubernetes.protobuf")
	req.Header.Set("Accept", "application/vnd.kubernetes.protobuf,application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var response map[string]any
	require.NoError(t, utiljson.Unmarshal(text, &response))
	return res.StatusCode, response
}

// enveloped returns an envelope around a message.
func enveloped(kind, version, message string) string {
	part := func(number byte, text string) string {
		return string([]byte{number<<3 | 2, byte(len(text))}) + text
	}
	return "k8s\x00" + part(1, part(1, version)+part(2, kind)) + part(2, message)
}

const namedWeb = "\x0a\x05\x0a\x03web" // metadata.name

// client-go's typed clients send protobuf by default. The messages are those of
// a real server.
func TestObjectsAreReadFromProtobuf(t *testing.T) {
	s := plainServer(t)
	const configMaps = inDefault + "configmaps"
	for _, c := range []struct {
		body    string
		code    int
		message string
	}{
		{`{"kind":"ConfigMap"}`, 400, `the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"kind":"ConfigMap"})`},
		{"k8s\x00", 400, `the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)`},
		{"k8s\x00\xff", 400, `the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b387300ff)`},
		{"", 400, `the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)`},
		{enveloped("ConfigMap", "v1", "\x0a\x09"), 400, `ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF`},
		{enveloped("Unknown", "v1", ""), 400, `Unknown in version "v1" cannot be handled as a ConfigMap: no kind "Unknown" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
		{enveloped("Secret", "v1", ""), 400, `Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion`},
		{enveloped("ConfigMap", "v1", namedWeb), 201, ""},
		{enveloped("", "", namedWeb), 409, `configmaps "web" already exists`},
	} {
		code, response := inProtobuf(t, s, "POST", configMaps, c.body)
		require.Equal(t, c.code, code, "%q: %v", c.body, response)
		if c.message != "" {
			require.Equal(t, c.message, response["message"], "%q", c.body)
		}
	}
}

func TestDeleteOptionsAreReadFromProtobuf(t *testing.T) {
	s := plainServer(t)
	const web = inDefault + "configmaps/web"
	code, _ := inProtobuf(t, s, "POST", inDefault+"configmaps", enveloped("ConfigMap", "v1", namedWeb))
	require.Equal(t, 201, code)
	other := types.UID("other")
	options, err := (&metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}}).Marshal()
	require.NoError(t, err)

	code, response := inProtobuf(t, s, "DELETE", web, "k8s")
	require.Equal(t, 400, code)
	require.Equal(t, "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]", response["message"])
	code, response = inProtobuf(t, s, "DELETE", web, enveloped("ConfigMap", "v1", ""))
	require.Equal(t, 400, code, "%v", response)
	code, response = inProtobuf(t, s, "DELETE", web, enveloped("DeleteOptions", "v1", string(options)))
	require.Equal(t, 409, code, "%v", response)
	code, response = inProtobuf(t, s, "DELETE", web, enveloped("DeleteOptions", "v1", ""))
	require.Equal(t, 200, code, "%v", response)
}
