package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page fits into windows of three widths in both themes and languages, and has text
// with enough contrast.
func TestVisualizerLayout(t *testing.T) {
	t.Parallel()
	snapshot := sampleSnapshot(120)
	long := "shop/" + strings.Repeat("long-name-", 12) + "x"
	snapshot["fifo"].(record)["deltas"] = append(snapshot["fifo"].(record)["deltas"].([]record), record{"key": long, "version": "31", "event": "Updated"})
	snapshot["machine"] = record{"phase": "waiting", "mode": "watch-list", "version": "31", "relists": 1, "relistReason": "Expired: too old resource version", "failures": 2, "error": "watch configmaps -n shop from version 31: dial tcp 127.0.0.1:41231: connect: connection refused", "retryInMs": 1400}
	for _, width := range []int64{320, 768, 1440} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			t.Run(name, func(t *testing.T) {
				program := runScriptedProgram(t, snapshot)
				program.timeline = numbered(lifeOf(long, "32", ""))
				p := openVisualizer(t, tabOptions{width: width, dark: dark, reducedMotion: true}, program.page)
				program.send(lifeOf("shop/parrot", "32", `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"32","name":"parrot"}}}`)...)
				program.send(lifeOf(long, "33", `{"resourceVersion":"33"}`)...)
				p.waitFor(has("worker", long+" rendered"))
				for _, language := range []string{"zh", "en"} {
					p.set("#language", language)
					p.waitFor(`document.documentElement.lang.startsWith("` + language + `")`)
					p.screenshot(fmt.Sprintf("visualizer/%s-%s", name, language), true)
					p.requireNoOverflow()
					require.Empty(t, eval[[]string](p, lowContrast), language)
				}
				p.set("#key", long)
				p.click("show-timeline")
				p.waitFor(`document.querySelectorAll("#timeline li").length > 9`)
				p.screenshot("visualizer/"+name+"-timeline", false)
				p.requireNoOverflow()
				require.Empty(t, eval[[]string](p, lowContrast), "timeline")
			})
		}
	}
}
