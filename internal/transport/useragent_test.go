package transport

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheUserAgentNamesTheProgramAndThisLibrary(t *testing.T) {
	platform := " (" + runtime.GOOS + "/" + runtime.GOARCH + ") "
	for _, c := range []struct {
		args  []string
		build *debug.BuildInfo
		want  string
	}{
		{nil, nil, "unknown/unknown" + platform + "thinformer/unknown"},
		{[]string{"/usr/bin/operator"}, nil, "operator/unknown" + platform + "thinformer/unknown"},
		{[]string{"a b\n"}, &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3+dirty"}, Deps: []*debug.Module{{Path: modulePath, Version: "v0.4.0"}}},
			"a_b_/v1.2.3+dirty" + platform + "thinformer/v0.4.0"},
		{[]string{"x"}, &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, "x/unknown" + platform + "thinformer/unknown"},
	} {
		require.Equal(t, c.want, defaultUserAgent(c.args, c.build))
	}
	require.True(t, FitsHeader((&Config{}).userAgent()))
}
