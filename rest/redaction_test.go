package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// public lists the fields that may be shown. A new field of a config is treated as
// secret until it is listed here.
var public = []string{
	"TLS.ServerName", "TLS.CertFile", "TLS.KeyFile", "TLS.CAFile", "TLS.NextProtos.0",
	"BearerTokenFile", "Username", "UserAgent", "ContentType", "AcceptContentTypes",
	"Exec.Command", "Exec.APIVersion", "Exec.InstallHint", "Exec.Interactive", "Exec.Env.0.Name",
	"Impersonate.UserName", "Impersonate.UID", "Impersonate.Groups.0", "Impersonate.Extra.key",
}

// plantSecrets sets every string of a value to a text that contains the name of its field.
func plantSecrets(value reflect.Value, path string) {
	planted := "<" + path + ">"
	switch value.Kind() {
	case reflect.String:
		value.SetString(planted)
	case reflect.Struct:
		for i := range value.NumField() {
			name := value.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			plantSecrets(value.Field(i), name)
		}
	case reflect.Pointer:
		if value.Type().Elem().PkgPath() != reflect.TypeFor[Config]().PkgPath() || value.Type() == reflect.TypeFor[*Trace]() {
			return
		}
		value.Set(reflect.New(value.Type().Elem()))
		plantSecrets(value.Elem(), path)
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			value.SetBytes([]byte(planted))
			return
		}
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		plantSecrets(value.Index(0), path+".0")
	case reflect.Map:
		element := reflect.New(value.Type().Elem()).Elem()
		plantSecrets(element, path+".value")
		value.Set(reflect.MakeMap(value.Type()))
		value.SetMapIndex(reflect.ValueOf("<"+path+".key>"), element)
	}
}

// renderings returns a value in every format in which it may be printed or logged.
func renderings(t *testing.T, value any) map[string]string {
	shown := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown[verb] = fmt.Sprintf(verb, value)
		shown["pointer "+verb] = fmt.Sprintf(verb, pointerTo(value))
		shown["inside "+verb] = fmt.Sprintf(verb, struct{ Value any }{value})
		shown["in a slice "+verb] = fmt.Sprintf(verb, []any{value})
	}
	if s, ok := value.(fmt.Stringer); ok {
		shown["String"] = s.String()
	}
	if s, ok := value.(fmt.GoStringer); ok {
		shown["GoString"] = s.GoString()
	}
	for name, v := range map[string]any{"value": value, "pointer": pointerTo(value), "inside": struct{ Value any }{value}} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		shown["JSON "+name] = unescaped(string(text))
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("a", "b", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("a", "b", v)
		shown["slog "+name] = unescaped(log.String())
	}
	return shown
}

func pointerTo(value any) any {
	p := reflect.New(reflect.TypeOf(value))
	p.Elem().Set(reflect.ValueOf(value))
	return p.Interface()
}

// unescaped reverts the JSON escapes around a planted text.
func unescaped(text string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(text)
}

func plantedConfig() Config {
	var config Config
	plantSecrets(reflect.ValueOf(&config).Elem(), "")
	return config
}

var planted = regexp.MustCompile(`<([A-Za-z0-9.]+)>`)

func TestNoFormatOfAConfigShowsASecret(t *testing.T) {
	config := plantedConfig()
	config.Host = "https://<Host.user>:<Host.password>@server:6443/path?token=<Host.query>#<Host.fragment>"
	var seen []string
	for how, text := range renderings(t, config) {
		for _, match := range planted.FindAllStringSubmatch(text, -1) {
			require.Contains(t, public, match[1], how)
			seen = append(seen, match[1])
		}
		// The hexadecimal output of %x must not contain a secret either.
		require.NotContains(t, text, fmt.Sprintf("%x", "<BearerToken>"), how)
	}
	for _, field := range public {
		require.Contains(t, seen, field, "a public field is not shown")
	}
	text := config.String()
	require.Contains(t, text, "@server:6443/path")
	require.Contains(t, text, "BearerToken:(hidden)")
	require.Contains(t, text, "Password:(hidden)")
	require.Contains(t, text, "CAData:(12 bytes)")
}

func TestNoFieldOfAConfigShowsASecret(t *testing.T) {
	config := plantedConfig()
	parts := map[string]any{"TLS": config.TLS, "Exec": *config.Exec, "Exec.Env.0": config.Exec.Env[0], "Impersonate": config.Impersonate}
	for name, part := range parts {
		for how, text := range renderings(t, part) {
			for _, match := range planted.FindAllStringSubmatch(text, -1) {
				require.Contains(t, public, match[1], "%s %s", name, how)
			}
		}
	}
}

func TestAConfigShowsWhichFieldsAreSet(t *testing.T) {
	config := Config{
		Host: "https://server", DisableHTTP2: true, Timeout: 90e9, QPS: 5, Burst: 10, PageSize: 7, MaxResponseBytes: 9,
		Decode: DecodeOptions{KeepManagedFields: true}, Logger: slog.Default(), Trace: &Trace{},
		Dial:  func(context.Context, string, string) (net.Conn, error) { return nil, nil },
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
		TLS:   TLSConfig{Insecure: true, NextProtos: []string{"h2"}},
	}
	text := config.String()
	for _, want := range []string{
		"Host:https://server", "DisableHTTP2:true", "Timeout:1m30s", "QPS:5", "Burst:10", "PageSize:7", "MaxResponseBytes:9",
		"KeepManagedFields:true", "Logger:(*slog.Logger)", "Trace:(*rest.Trace)", "Dial:(func(", "Proxy:(func(", "TLS:{Insecure:true NextProtos:[h2]}",
	} {
		require.Contains(t, text, want)
	}
	require.Equal(t, "rest.Config{}", Config{}.String())
	require.Equal(t, "{}", string(must(json.Marshal(Config{}))))
	require.Equal(t, "<nil>", fmt.Sprint((*Config)(nil)))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Every field of a config is either shown or listed here as secret.
func TestEveryFieldOfAConfigIsShownOrListedAsSecret(t *testing.T) {
	forgotten := map[string]bool{}
	for _, of := range []any{Config{}, TLSConfig{}, ExecConfig{}, ExecEnv{}, ImpersonationConfig{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			forgotten[kind.Field(i).Name] = true
		}
	}
	full := plantedConfig()
	full.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	full.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, nil }
	full.Transport, full.WrapTransport = http.DefaultTransport, func(r http.RoundTripper) http.RoundTripper { return r }
	full.TLS.Insecure, full.Exec.ProvideClusterInfo = true, true
	full.DisableHTTP2, full.DisableCompression, full.Timeout, full.QPS, full.Burst = true, true, 1, 1, 1
	full.PageSize, full.MaxResponseBytes, full.Decode.MaxDepth = 1, 1, 1
	full.RateLimiter, full.WarningHandler = &countingLimiter{}, &warningLog{}
	full.Logger, full.Trace = slog.Default(), &Trace{}
	text := full.String() + full.Exec.Env[0].String()
	for name := range forgotten {
		require.Regexp(t, `[ {]`+name+`:`, text)
	}
}

type countingLimiter struct{ waits int }

func (l *countingLimiter) Wait(context.Context) error { l.waits++; return nil }

func TestACopySharesNoMutableState(t *testing.T) {
	config := plantedConfig()
	unchanged, copied := plantedConfig(), config.Copy()
	require.Equal(t, unchanged.String(), copied.String())
	plantOver(reflect.ValueOf(copied).Elem())
	require.True(t, reflect.DeepEqual(unchanged, config), "a change of the copy changed the original")
	require.Nil(t, (*Config)(nil).Copy())
}

// plantOver changes every element that a shallow copy would share.
func plantOver(value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			plantOver(value.Field(i))
		}
	case reflect.Pointer:
		if !value.IsNil() {
			plantOver(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			plantOver(value.Index(i))
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			plantOver(value.MapIndex(key))
			value.SetMapIndex(reflect.ValueOf("another"), value.MapIndex(key))
		}
	case reflect.String:
		if value.CanSet() {
			value.SetString("changed")
		}
	case reflect.Uint8:
		value.SetUint('!')
	}
}

func TestAHostIsShownWithoutSecrets(t *testing.T) {
	for host, want := range map[string]string{
		"https://server:6443/base":      "https://server:6443/base",
		"server":                        "server",
		"https://u:p@server":            "https://(hidden)@server",
		"u:p@server/x@y":                "(hidden)@y",
		"https://server?token=t":        "https://server(hidden)",
		"https://server#t":              "https://server(hidden)",
		"https://u:p/w@server":          "https://(hidden)@server",
		"u:p@x://server":                "(hidden)",
		"https://server/?a=u:p@b://c@d": "https://server/(hidden)",
	} {
		require.Equal(t, want, hostWithoutSecrets(host))
	}
}
