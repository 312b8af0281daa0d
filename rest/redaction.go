package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// However a config or a part of it is printed, logged or marshalled, secrets
// are not shown. Each type says what is shown of it in a list of attributes,
// which the methods below write in their several forms: a field that is not
// listed there is not shown.

const hidden = "(hidden)"

// shownFields are what is shown of a value. Zero values are left out.
type shownFields []slog.Attr

func (s *shownFields) add(name string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case bool:
		if !v {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	case shownFields:
		if len(v) > 0 {
			*s = append(*s, slog.Attr{Key: name, Value: slog.GroupValue(v...)})
		}
		return
	}
	*s = append(*s, slog.Any(name, value))
}

// secret shows only that there is something.
func (s *shownFields) secret(name string, set bool) {
	if set {
		s.add(name, hidden)
	}
}

// size shows how much there is.
func (s *shownFields) size(name string, data []byte) {
	if len(data) > 0 {
		s.add(name, fmt.Sprintf("(%d bytes)", len(data)))
	}
}

// kind shows what the value of an interface or function type is.
func (s *shownFields) kind(name string, set bool, value any) {
	if set {
		s.add(name, fmt.Sprintf("(%T)", value))
	}
}

func (c Config) shown() shownFields {
	var s shownFields
	s.add("Host", hostWithoutSecrets(c.Host))
	s.add("TLS", c.TLS.shown())
	s.secret("BearerToken", c.BearerToken != "")
	s.add("BearerTokenFile", c.BearerTokenFile)
	s.add("Username", c.Username)
	s.secret("Password", c.Password != "")
	if c.Exec != nil {
		s.add("Exec", c.Exec.shown())
	}
	s.add("Impersonate", c.Impersonate.shown())
	s.kind("Proxy", c.Proxy != nil, c.Proxy)
	s.kind("Dial", c.Dial != nil, c.Dial)
	s.kind("Transport", c.Transport != nil, c.Transport)
	s.kind("WrapTransport", c.WrapTransport != nil, c.WrapTransport)
	s.add("DisableHTTP2", c.DisableHTTP2)
	s.add("DisableCompression", c.DisableCompression)
	s.add("UserAgent", c.UserAgent)
	if c.Timeout != 0 {
		s.add("Timeout", c.Timeout.String())
	}
	if c.QPS != 0 || c.Burst != 0 {
		s.add("QPS", c.QPS)
		s.add("Burst", c.Burst)
	}
	s.kind("RateLimiter", c.RateLimiter != nil, c.RateLimiter)
	s.add("ContentType", c.ContentType)
	s.add("AcceptContentTypes", c.AcceptContentTypes)
	if c.PageSize != 0 {
		s.add("PageSize", c.PageSize)
	}
	if c.MaxResponseBytes != 0 {
		s.add("MaxResponseBytes", c.MaxResponseBytes)
	}
	if c.Decode != (DecodeOptions{}) {
		s.add("Decode", fmt.Sprintf("%+v", c.Decode))
	}
	s.kind("WarningHandler", c.WarningHandler != nil, c.WarningHandler)
	s.kind("Logger", c.Logger != nil, c.Logger)
	s.kind("Trace", c.Trace != nil, c.Trace)
	return s
}

func (t TLSConfig) shown() shownFields {
	var s shownFields
	s.add("Insecure", t.Insecure)
	s.add("ServerName", t.ServerName)
	s.add("CertFile", t.CertFile)
	s.add("KeyFile", t.KeyFile)
	s.add("CAFile", t.CAFile)
	s.size("CertData", t.CertData)
	s.secret("KeyData", len(t.KeyData) > 0)
	s.size("CAData", t.CAData)
	s.add("NextProtos", t.NextProtos)
	return s
}

// Arguments are hidden as well: some programs take secrets that way.
func (e ExecConfig) shown() shownFields {
	var s shownFields
	s.add("Command", e.Command)
	s.secret("Args", len(e.Args) > 0)
	var names []string
	for _, variable := range e.Env {
		names = append(names, variable.Name)
	}
	s.add("Env", names)
	s.add("APIVersion", e.APIVersion)
	s.add("InstallHint", e.InstallHint)
	s.add("ProvideClusterInfo", e.ProvideClusterInfo)
	s.secret("Config", len(e.Config) > 0)
	s.add("Interactive", e.Interactive)
	return s
}

func (e ExecEnv) shown() shownFields {
	var s shownFields
	s.add("Name", e.Name)
	s.secret("Value", e.Value != "")
	return s
}

func (i ImpersonationConfig) shown() shownFields {
	var s shownFields
	s.add("UserName", i.UserName)
	s.add("UID", i.UID)
	s.add("Groups", i.Groups)
	s.add("Extra", slices.Sorted(maps.Keys(i.Extra)))
	return s
}

// hostWithoutSecrets shows a Host that need not be valid.
func hostWithoutSecrets(host string) string {
	scheme, rest, found := strings.Cut(host, "://")
	if !found {
		scheme, rest = "", host
	} else {
		scheme += "://"
	}
	rest, _, query := strings.Cut(rest, "?")
	rest, _, fragment := strings.Cut(rest, "#")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = hidden + rest[at:]
	}
	if query || fragment {
		rest += hidden
	}
	if strings.ContainsAny(scheme, "@?#") {
		return hidden
	}
	return scheme + rest
}

func (s shownFields) text(name string) string {
	var text strings.Builder
	s.write(&text, name)
	return text.String()
}

func (s shownFields) write(w io.Writer, name string) {
	fmt.Fprint(w, name, "{")
	for i, field := range s {
		if i > 0 {
			fmt.Fprint(w, " ")
		}
		fmt.Fprint(w, field.Key, ":")
		if field.Value.Kind() == slog.KindGroup {
			shownFields(field.Value.Group()).write(w, "")
		} else {
			fmt.Fprint(w, field.Value)
		}
	}
	fmt.Fprint(w, "}")
}

func (s shownFields) object() map[string]any {
	object := map[string]any{}
	for _, field := range s {
		if field.Value.Kind() == slog.KindGroup {
			object[field.Key] = shownFields(field.Value.Group()).object()
		} else {
			object[field.Key] = field.Value.Any()
		}
	}
	return object
}

// String shows the config without its secrets.
func (c Config) String() string { return c.shown().text("rest.Config") }

// GoString shows the config without its secrets.
func (c Config) GoString() string { return c.String() }

// Format shows the config without its secrets, whatever the verb.
func (c Config) Format(f fmt.State, _ rune) { c.shown().write(f, "rest.Config") }

// LogValue is the config without its secrets.
func (c Config) LogValue() slog.Value { return slog.GroupValue(c.shown()...) }

// MarshalJSON writes the config without its secrets, to be looked at: it cannot
// be read back.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.shown().object()) }

// String shows what is set, without the key.
func (t TLSConfig) String() string { return t.shown().text("rest.TLSConfig") }

// GoString shows what is set, without the key.
func (t TLSConfig) GoString() string { return t.String() }

// Format shows what is set, without the key, whatever the verb.
func (t TLSConfig) Format(f fmt.State, _ rune) { t.shown().write(f, "rest.TLSConfig") }

// LogValue is what is set, without the key.
func (t TLSConfig) LogValue() slog.Value { return slog.GroupValue(t.shown()...) }

// MarshalJSON writes what is set, without the key.
func (t TLSConfig) MarshalJSON() ([]byte, error) { return json.Marshal(t.shown().object()) }

// String shows the command, without its arguments and the values of its
// environment.
func (e ExecConfig) String() string { return e.shown().text("rest.ExecConfig") }

// GoString is the same as String.
func (e ExecConfig) GoString() string { return e.String() }

// Format writes what String returns, whatever the verb.
func (e ExecConfig) Format(f fmt.State, _ rune) { e.shown().write(f, "rest.ExecConfig") }

// LogValue is what String shows.
func (e ExecConfig) LogValue() slog.Value { return slog.GroupValue(e.shown()...) }

// MarshalJSON writes what String shows.
func (e ExecConfig) MarshalJSON() ([]byte, error) { return json.Marshal(e.shown().object()) }

// String shows the name of the variable, without its value.
func (e ExecEnv) String() string { return e.shown().text("rest.ExecEnv") }

// GoString is the same as String.
func (e ExecEnv) GoString() string { return e.String() }

// Format writes what String returns, whatever the verb.
func (e ExecEnv) Format(f fmt.State, _ rune) { e.shown().write(f, "rest.ExecEnv") }

// LogValue is what String shows.
func (e ExecEnv) LogValue() slog.Value { return slog.GroupValue(e.shown()...) }

// MarshalJSON writes what String shows.
func (e ExecEnv) MarshalJSON() ([]byte, error) { return json.Marshal(e.shown().object()) }

// String shows who is impersonated, and of the extra only the keys.
func (i ImpersonationConfig) String() string { return i.shown().text("rest.ImpersonationConfig") }

// GoString is the same as String.
func (i ImpersonationConfig) GoString() string { return i.String() }

// Format writes what String returns, whatever the verb.
func (i ImpersonationConfig) Format(f fmt.State, _ rune) {
	i.shown().write(f, "rest.ImpersonationConfig")
}

// LogValue is what String shows.
func (i ImpersonationConfig) LogValue() slog.Value { return slog.GroupValue(i.shown()...) }

// MarshalJSON writes what String shows.
func (i ImpersonationConfig) MarshalJSON() ([]byte, error) { return json.Marshal(i.shown().object()) }
