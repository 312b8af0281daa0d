package signature_test

import (
	"os"
	"testing"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/signature"
)

func TestOf(t *testing.T) {
	tree := os.DirFS(sourcetree.Root(t))
	for function, want := range map[string]string{
		"NewTransport":     "func NewTransport(dial stack.Dial) stack.Transport",
		"NewDecoder":       "func NewDecoder(body io.Reader) stack.Decoder",
		"NewListerWatcher": "func NewListerWatcher(client stack.Client, decoder stack.NewDecoder, namespace string) stack.ListerWatcher",
		"NewFollower":      "func NewFollower(watcher listwatch.Watcher[stack.Object], store stack.Store, backoff stack.Backoff, silence time.Duration) stack.Follower",
		"NewIndexer":       "func NewIndexer() stack.Indexer",
	} {
		if got, err := signature.Of(tree, function); err != nil || got != want {
			t.Errorf("signature.Of(%q) = %q, %v; want %q", function, got, err, want)
		}
	}
	if got, err := signature.Of(tree, "NewNothing"); err == nil {
		t.Errorf("the signature is %q for an unknown function", got)
	}
}
