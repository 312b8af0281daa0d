package controller_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

type writerFunc func(line []byte) (int, error)

func (f writerFunc) Write(line []byte) (int, error) { return f(line) }

// A definition that is deleted is logged at once, also within a minute after the kind was
// missing before, and so is that the kind is served again. A definition that is deleted
// again and again writes a bounded number of lines.
func TestDeletedDefinitionIsLoggedAtOnce(t *testing.T) {
	for _, namespaces := range [][]string{nil, {"default", "other", "third"}} {
		t.Run(fmt.Sprint(namespaces), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProgram(t, apitest.Options{})
				k := numberedKind(1)
				var mu sync.Mutex
				var log bytes.Buffer
				write := writerFunc(func(line []byte) (int, error) {
					mu.Lock()
					defer mu.Unlock()
					return log.Write(line)
				})
				logged := func() (lines []string) {
					synctest.Wait()
					mu.Lock()
					defer mu.Unlock()
					defer log.Reset()
					for line := range strings.Lines(log.String()) {
						lines = append(lines, line)
					}
					return lines
				}
				view := rest.NewView[*thing](s.client, k.info())
				o := informer.Options[*thing]{Logger: slog.New(slog.NewTextHandler(write, nil))}
				things := informer.New(view, o)
				if namespaces != nil {
					things = informer.ForNamespaces(nil, view, o, namespaces...)
				}
				s.options.Factory, s.options.Informers = nil, []controller.Informer{things}
				c := controller.New("things", controller.Func(doNothing), controller.Options{Logger: s.options.Logger})
				controller.For(c, things)
				s.run(c)
				time.Sleep(5 * time.Second)
				require.Len(t, logged(), 1, "not served")
				k.define(t, s.srv)
				time.Sleep(25 * time.Second)
				require.True(t, things.HasSynced())
				lines := logged()
				require.Len(t, lines, 1)
				require.Contains(t, lines[0], `level=INFO msg="List or watch recovered"`)
				k.deleteDefinition(t, s.client)
				time.Sleep(10 * time.Second)
				lines = logged()
				require.Len(t, lines, 1, "%s", lines)
				require.Contains(t, lines[0], `retry="when it is served, checked in `)
				time.Sleep(time.Hour)
				require.Empty(t, logged())

				for range 20 {
					k.define(t, s.srv)
					time.Sleep(8 * time.Second)
					k.deleteDefinition(t, s.client)
					time.Sleep(7 * time.Second)
				}
				require.LessOrEqual(t, len(logged()), 5*4+1, "five minutes")
				require.NoError(t, s.stopAndWait())
			})
		})
	}
}
