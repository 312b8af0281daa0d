package chunks

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints the bytes of a watch, and what Read returns for a chunk that ends inside a
// rune.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		showWatch(t, w)
		fmt.Fprintln(w)
		showRune(t, w)
	})
}

// showWatch prints the bytes of a watch: a creation, and a deletion ten seconds later.
func showWatch(t *judge.T, w io.Writer) {
	server := t.Server(apitest.Options{})
	base, dial := judge.Dial(server)
	recorded := new(recording)
	transport := reference.Parts().NewTransport(func(ctx context.Context) (net.Conn, error) {
		conn, err := dial(ctx)
		recorded.Conn = conn
		return recorded, err
	})
	request, err := http.NewRequestWithContext(t.Context(), "GET", base.String()+"/api/v1/namespaces/shop/configmaps?watch=1", nil)
	if err != nil {
		t.Fatalf("create the request: %v", err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	nextLine := func() {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatalf("read an event: %v", err)
		}
	}
	object := &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	apitest.Create(t, server, object)
	nextLine()
	time.Sleep(10 * time.Second)
	apitest.Delete(t, server, object)
	nextLine()

	for line := range strings.Lines(recorded.sent.String()) {
		fmt.Fprintf(w, "> %s\n", escaped(line))
	}
	head, chunks, _ := strings.Cut(recorded.received.String(), "\r\n\r\n")
	for line := range strings.Lines(head + "\r\n\r\n") {
		fmt.Fprintf(w, "< %s\n", escaped(line))
	}
	for chunks != "" {
		line, rest, _ := strings.Cut(chunks, "\r\n")
		size := 0
		fmt.Sscanf(line, "%x", &size)
		data := rest[:min(size, len(rest))]
		fmt.Fprintf(w, "< %-12s the size: %d bytes\n< %s\n", escaped(line+"\r\n"), size, escaped(data))
		chunks = strings.TrimPrefix(rest[len(data):], "\r\n")
		fmt.Fprintln(w, `< \r\n`)
	}
}

// showRune prints what Read returns for two chunks, the first of which ends inside a rune.
func showRune(t *judge.T, w io.Writer) {
	text := "你好"
	chunks := encode(text[:4], text[4:])
	s := serve(t, chunkedHead, chunks)
	response, err := reference.Parts().NewTransport(s.dial).RoundTrip(newRequest(t.Context()))
	if err != nil {
		t.Fatalf("RoundTrip: %v", err)
	}
	defer response.Body.Close()
	fmt.Fprintf(w, "%q in chunks: %q\n", text, chunks)
	buffer := make([]byte, 100)
	for err == nil {
		var n int
		n, err = response.Body.Read(buffer)
		fmt.Fprintf(w, "Read: % x %v\n", buffer[:n], err)
	}
}

// escaped returns a part of the bytes with visible line ends, at most 70 of them.
func escaped(text string) string {
	const most = 70
	text = strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(text)
	if len(text) > most {
		return text[:most-20] + "..." + text[len(text)-17:]
	}
	return text
}

// recording is a connection that keeps its bytes.
type recording struct {
	net.Conn
	sent, received bytes.Buffer
}

func (r *recording) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.received.Write(p[:n])
	return n, err
}

func (r *recording) Write(p []byte) (int, error) {
	r.sent.Write(p)
	return r.Conn.Write(p)
}
