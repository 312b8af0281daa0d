package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

//go:embed pod.yaml
var podYAML []byte

// serve implements -serve: it serves the given number of pods, prints its address, and
// returns when ctx is done or its standard input ends, which is when the program that
// started it ends.
func serve(ctx context.Context, pods int, out io.Writer) error {
	var template Pod
	if err := yaml.Unmarshal(podYAML, &template); err != nil {
		return fmt.Errorf("read pod.yaml: %w", err)
	}
	srv := apitest.NewServer(apitest.Options{PlainHTTP: true})
	defer srv.Close()
	apitest.Seed(nil, srv, pods, func(i int) *Pod { return podOf(&template, i) })
	if _, err := fmt.Fprintln(out, srv.URL); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, os.Stdin)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return nil
}

// podOf returns a pod with its own name, node, address and container.
func podOf(template *Pod, i int) *Pod {
	pod := informer.Clone(template)
	pod.Namespace = fmt.Sprintf("team-%02d", i%40)
	pod.Name = fmt.Sprintf("%s%05x", pod.GenerateName, i)
	pod.Spec.NodeName = fmt.Sprintf("node-%03d.example.com", i%250)
	pod.Status.HostIP = fmt.Sprintf("10.0.0.%d", i%250)
	pod.Status.HostIPs[0].IP = pod.Status.HostIP
	pod.Status.PodIP = fmt.Sprintf("10.%d.%d.%d", 64+i>>16&63, i>>8&255, i&255)
	pod.Status.PodIPs[0].IP = pod.Status.PodIP
	pod.Status.ContainerStatuses[0].ContainerID = fmt.Sprintf("containerd://%064x", i)
	return pod
}

// startServer starts the program again, as a server. Its memory is in another process,
// so it does not count in the measured heap.
func startServer(ctx context.Context, pods int) (config *rest.Config, stop func() error, err error) {
	fail := func(err error) (*rest.Config, func() error, error) {
		if ctx.Err() != nil { // the end of ctx has stopped the server
			return nil, nil, context.Cause(ctx)
		}
		return nil, nil, fmt.Errorf("start the server process: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	server := exec.CommandContext(ctx, self, "-serve", "-pods", strconv.Itoa(pods))
	server.Stderr = os.Stderr
	input, err := server.StdinPipe()
	if err != nil {
		return fail(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	if err := server.Start(); err != nil {
		return fail(err)
	}
	stop = func() error {
		if err := errors.Join(input.Close(), server.Wait()); ctx.Err() == nil {
			return err
		}
		return nil
	}
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return fail(errors.Join(err, stop()))
	}
	return &rest.Config{Host: address[:len(address)-1]}, stop, nil
}
