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

// Configs do not show their secrets, however they are printed, logged or
// marshalled. Each type lists the attributes that may be shown, and the methods
// below format them. A field that is not listed is not shown.

const hidden = "(hidden)"

// redactedFields are the attributes of a value that may be shown, without zero
// values.
type redactedFields []slog.Attr

func (s *redactedFields) add(name string, value any) {
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
	case redactedFields:
		if len(v) > 0 {
			*s = append(*s, slog.Attr{Key: name, Value: slog.GroupValue(v...)})
		}
		return
	}
	*s = append(*s, slog.Any(name, value))
}

// addSecret adds a placeholder if the value is set.
func (s *redactedFields) addSecret(name string, set bool) {
	if set {
		s.add(name, hidden)
	}
}

// addSize adds the length of data.
func (s *redactedFields) addSize(name string, data []byte) {
	if len(data) > 0 {
		s.add(name, fmt.Sprintf("(%d bytes)", len(data)))
	}
}

// addType adds the type of an interface or function value.
func (s *redactedFields) addType(name string, set bool, value any) {
	if set {
		s.add(name, fmt.Sprintf("(%T)", value))
	}
}

func (c Config) redacted() redactedFields {
	var s redactedFields
	s.add("Host", hostWithoutSecrets(c.Host))
	s.add("TLS", c.TLS.redacted())
	s.addSecret("BearerToken", c.BearerToken != "")
	s.add("BearerTokenFile", c.BearerTokenFile)
	s.add("Username", c.Username)
	s.addSecret("Password", c.Password != "")
	if c.Exec != nil {
		s.add("Exec", c.Exec.redacted())
	}
	s.add("Impersonate", c.Impersonate.redacted())
	s.addType("Proxy", c.Proxy != nil, c.Proxy)
	s.addType("Dial", c.Dial != nil, c.Dial)
	s.addType("Transport", c.Transport != nil, c.Transport)
	s.addType("WrapTransport", c.WrapTransport != nil, c.WrapTransport)
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
	s.addType("RateLimiter", c.RateLimiter != nil, c.RateLimiter)
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
	s.addType("WarningHandler", c.WarningHandler != nil, c.WarningHandler)
	s.addType("Logger", c.Logger != nil, c.Logger)
	s.addType("Trace", c.Trace != nil, c.Trace)
	return s
}

func (t TLSConfig) redacted() redactedFields {
	var s redactedFields
	s.add("Insecure", t.Insecure)
	s.add("ServerName", t.ServerName)
	s.add("CertFile", t.CertFile)
	s.add("KeyFile", t.KeyFile)
	s.add("CAFile", t.CAFile)
	s.addSize("CertData", t.CertData)
	s.addSecret("KeyData", len(t.KeyData) > 0)
	s.addSize("CAData", t.CAData)
	s.add("NextProtos", t.NextProtos)
	return s
}

// Arguments are hidden too: some programs receive secrets in them.
func (e ExecConfig) redacted() redactedFields {
	var s redactedFields
	s.add("Command", e.Command)
	s.addSecret("Args", len(e.Args) > 0)
	var names []string
	for _, variable := range e.Env {
		names = append(names, variable.Name)
	}
	s.add("Env", names)
	s.add("APIVersion", e.APIVersion)
	s.add("InstallHint", e.InstallHint)
	s.add("ProvideClusterInfo", e.ProvideClusterInfo)
	s.addSecret("Config", len(e.Config) > 0)
	s.add("Interactive", e.Interactive)
	return s
}

func (e ExecEnv) redacted() redactedFields {
	var s redactedFields
	s.add("Name", e.Name)
	s.addSecret("Value", e.Value != "")
	return s
}

func (i ImpersonationConfig) redacted() redactedFields {
	var s redactedFields
	s.add("UserName", i.UserName)
	s.add("UID", i.UID)
	s.add("Groups", i.Groups)
	s.add("Extra", slices.Sorted(maps.Keys(i.Extra)))
	return s
}

// hostWithoutSecrets redacts a Host, which need not be valid.
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

func (s redactedFields) text(name string) string {
	var text strings.Builder
	s.write(&text, name)
	return text.String()
}

func (s redactedFields) write(w io.Writer, name string) {
	fmt.Fprint(w, name, "{")
	for i, field := range s {
		if i > 0 {
			fmt.Fprint(w, " ")
		}
		fmt.Fprint(w, field.Key, ":")
		if field.Value.Kind() == slog.KindGroup {
			redactedFields(field.Value.Group()).write(w, "")
		} else {
			fmt.Fprint(w, field.Value)
		}
	}
	fmt.Fprint(w, "}")
}

func (s redactedFields) object() map[string]any {
	object := map[string]any{}
	for _, field := range s {
		if field.Value.Kind() == slog.KindGroup {
			object[field.Key] = redactedFields(field.Value.Group()).object()
		} else {
			object[field.Key] = field.Value.Any()
		}
	}
	return object
}

// String formats the config without its secrets.
func (c Config) String() string { return c.redacted().text("rest.Config") }

// GoString formats the config without its secrets.
func (c Config) GoString() string { return c.String() }

// Format formats the config without its secrets, for every verb.
func (c Config) Format(f fmt.State, _ rune) { c.redacted().write(f, "rest.Config") }

// LogValue returns the config without its secrets.
func (c Config) LogValue() slog.Value { return slog.GroupValue(c.redacted()...) }

// MarshalJSON encodes the config without its secrets. The result cannot be
// unmarshalled into a Config.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.redacted().object()) }

// String formats the fields without the key.
func (t TLSConfig) String() string { return t.redacted().text("rest.TLSConfig") }

// GoString formats the fields without the key.
func (t TLSConfig) GoString() string { return t.String() }

// Format formats the fields without the key, for every verb.
func (t TLSConfig) Format(f fmt.State, _ rune) { t.redacted().write(f, "rest.TLSConfig") }

// LogValue returns the fields without the key.
func (t TLSConfig) LogValue() slog.Value { return slog.GroupValue(t.redacted()...) }

// MarshalJSON encodes the fields without the key.
func (t TLSConfig) MarshalJSON() ([]byte, error) { return json.Marshal(t.redacted().object()) }

// String formats the command without its arguments and the values of its
// environment.
func (e ExecConfig) String() string { return e.redacted().text("rest.ExecConfig") }

// GoString returns String.
func (e ExecConfig) GoString() string { return e.String() }

// Format writes String, for every verb.
func (e ExecConfig) Format(f fmt.State, _ rune) { e.redacted().write(f, "rest.ExecConfig") }

// LogValue returns the fields that String shows.
func (e ExecConfig) LogValue() slog.Value { return slog.GroupValue(e.redacted()...) }

// MarshalJSON encodes the fields that String shows.
func (e ExecConfig) MarshalJSON() ([]byte, error) { return json.Marshal(e.redacted().object()) }

// String formats the variable without its value.
func (e ExecEnv) String() string { return e.redacted().text("rest.ExecEnv") }

// GoString returns String.
func (e ExecEnv) GoString() string { return e.String() }

// Format writes String, for every verb.
func (e ExecEnv) Format(f fmt.State, _ rune) { e.redacted().write(f, "rest.ExecEnv") }

// LogValue returns the fields that String shows.
func (e ExecEnv) LogValue() slog.Value { return slog.GroupValue(e.redacted()...) }

// MarshalJSON encodes the fields that String shows.
func (e ExecEnv) MarshalJSON() ([]byte, error) { return json.Marshal(e.redacted().object()) }

// String formats the impersonated user, with only the keys of the extra fields.
func (i ImpersonationConfig) String() string { return i.redacted().text("rest.ImpersonationConfig") }

// GoString returns String.
func (i ImpersonationConfig) GoString() string { return i.String() }

// Format writes String, for every verb.
func (i ImpersonationConfig) Format(f fmt.State, _ rune) {
	i.redacted().write(f, "rest.ImpersonationConfig")
}

// LogValue returns the fields that String shows.
func (i ImpersonationConfig) LogValue() slog.Value { return slog.GroupValue(i.redacted()...) }

// MarshalJSON encodes the fields that String shows.
func (i ImpersonationConfig) MarshalJSON() ([]byte, error) {
	return json.Marshal(i.redacted().object())
}
