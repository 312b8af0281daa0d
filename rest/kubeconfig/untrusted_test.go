package kubeconfig

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Contract: errors never contain the value of a secret field, even if it is malformed.
func TestErrorsDoNotContainSecrets(t *testing.T) {
	for _, token := range []string{
		`*s3cret`, `!!int s3cret`, `!!float "s3cret"`, `!!bool s3cret`, `!!timestamp s3cret`, `!!binary s3cret!`, `!s3cret! x`,
		`"s3cret`, `'s3cret`, `"s3cret\q"`, `{s3cret`, `[s3cret`, `{s3cret: s3cret}`, `[s3cret]`, `{[s3cret]: x}`, `{{s3cret: x}: y}`, `{? {s3cret: 1} : x}`,
		`{<<: s3cret}`, `&s3cret [*s3cret]`, `|s3cret`, `%s3cret`, `@s3cret`, "`s3cret", `s3cret: s3cret`, "s3cret\x01", "s3cret\xff", "\ts3cret",
	} {
		for _, field := range []string{"token", "password", "client-key-data", "tokenFile", "exec", "as-groups", "insecure"} {
			_, err := FromBytes([]byte("users:\n- name: u\n  user:\n    "+field+": "+token+"\n"), Options{Server: "https://c", User: "u"})
			if err != nil && field != "tokenFile" { // a path, which errors contain
				require.NotContains(t, err.Error(), "s3cret", "%s: %s", field, token)
			}
		}
	}
}

// Contract: the memory for parsing a small file is limited, also with aliases of
// aliases, many aliases of one long string, and deep nesting.
func TestAliasesAndNestingDoNotExhaustMemory(t *testing.T) {
	aliases := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		aliases += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	_, err := FromBytes([]byte(aliases), Options{Server: "https://c"})
	require.ErrorContains(t, err, "excessive aliasing")

	for name, nested := range map[string]string{
		"flow lists": strings.Repeat("[", 1<<20), "flow maps": strings.Repeat("{a: ", 1<<20), "JSON": strings.Repeat(`{"a":`, 1<<20),
		"lines": strings.Repeat("- ", 1<<20),
	} {
		_, err := FromBytes([]byte(nested), Options{Server: "https://c"})
		require.ErrorContains(t, err, "parse the kubeconfig", name)
		require.Less(t, len(err.Error()), 1000, name)
	}

	const copies = 50_000
	long := "long: &long " + strings.Repeat("x", 1<<20) + "\nall: &all [" + strings.Repeat("*long,", copies) + "]\n" +
		"clusters: [{name: c, cluster: {server: 'https://c', extensions: [{name: client.authentication.k8s.io/exec, extension: *all}]}}]\n" +
		"users: [{name: u, user: {exec: {command: p, apiVersion: client.authentication.k8s.io/v1, provideClusterInfo: true, args: *all}}}]\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = FromBytes([]byte(long), Options{Cluster: "c", User: "u"})
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, errExtensionTooLarge)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20), "the expanded JSON would have 50 GB")
}

// The limit for the extension of a plugin counts values as well as strings.
func TestAnExtensionOfNullsIsLimited(t *testing.T) {
	nulls := make([]any, 2000)
	all := make([]any, 2000)
	for i := range all {
		all[i] = nulls
	}
	_, err := marshalExtension(all)
	require.ErrorIs(t, err, errExtensionTooLarge)
	text, err := marshalExtension(map[any]any{1: nulls[:2], "a": map[string]any{"b": true}})
	require.NoError(t, err)
	require.JSONEq(t, `{"1":[null,null],"a":{"b":true}}`, string(text))
	_, err = marshalExtension(map[any]any{nil: 1})
	require.ErrorContains(t, err, "want a scalar as a key, found nothing")
}

// parse returns an error, or a kubeconfig whose contexts can all be selected without
// a panic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		minimalConfig, "", "{}", "- x", "a: *b", `{"clusters":[{"name":"c","cluster":{"server":"https://c"}}]}`,
		"users:\n- name: u\n  user:\n    exec: {command: p, args: [a], env: [{name: A, value: b}]}\n",
		"a: &a [x]\nb: [*a, *a]\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n",
		"clusters: [{name: c, cluster: {server: \"https://c\", extensions: [{name: client.authentication.k8s.io/exec, extension: {a: {1: 2}}}]}}]\n" +
			"users: [{name: u, user: {exec: {command: p, apiVersion: client.authentication.k8s.io/v1, provideClusterInfo: true}}}]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := parse(data, "fuzz", "/folder")
		if err != nil {
			require.Nil(t, parsed)
			require.Less(t, len(err.Error()), 4096+8*len(data))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(parsed.contexts)) {
			checkNewConfig(t, parsed, Options{Context: name})
		}
		for cluster := range parsed.clusters {
			for user := range parsed.users {
				checkNewConfig(t, parsed, Options{Cluster: cluster, User: user})
			}
		}
	})
}

func checkNewConfig(t *testing.T, parsed *file, options Options) {
	loaded, err := parsed.newConfig(options)
	if err != nil {
		require.Nil(t, loaded)
		return
	}
	require.NotEmpty(t, loaded.Config.Host)
	if exec := loaded.Config.Exec; exec != nil {
		require.LessOrEqual(t, len(exec.Config), 8*maxExtensionSize)
	}
}
