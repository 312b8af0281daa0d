package main

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All keys are searched, also those that a snapshot leaves out. The answer has the first
// ones and the number of all.
func TestKeys(t *testing.T) {
	withProgram(t, 150, func(t *testing.T, f *fixture) {
		require.Len(t, f.keys(), maxKeys)
		find := func(search string) Keys {
			w := f.request("GET", "/keys?search="+url.QueryEscape(search), "", nil)
			require.Equal(t, 200, w.Code)
			return decode[Keys](t, w.Body)
		}
		all := find("")
		require.Equal(t, Keys{Objects: 300, Count: 300, Keys: f.keys()}, all)
		require.Equal(t, Keys{Objects: 300, Count: 2, Keys: []string{"default/item-0149", "default/item-0149-copy"}}, find(" 0149 "))
		require.Equal(t, Keys{Objects: 300, Keys: []string{}}, find("%_*"))
		found := find("item")
		require.Equal(t, 300, found.Count)
		require.Len(t, found.Keys, maxKeys)
		f.use("delete", `{"name": "item-0149"}`)
		require.Equal(t, Keys{Objects: 298, Keys: []string{}}, find("0149"))

		require.Equal(t, 400, f.request("GET", "/keys?search="+strings.Repeat("x", 2*maxArgument+1), "", nil).Code)
		require.Equal(t, 405, f.request("POST", "/keys", "{}", asJSON).Code)
		require.Equal(t, 403, f.request("GET", "/keys", "", map[string][]string{"Host": {"example.com"}}).Code)
	})
}
