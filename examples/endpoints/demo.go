package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// runDemo calls work, and meanwhile changes objects on the embedded server, which has no
// controllers that create endpoints for pods.
func (u *upstreams) runDemo(ctx context.Context, srv *apitest.Server, work func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	u.events = make(chan string, 100) // more than the demonstration needs
	demoEnded := make(chan error, 1)
	go func() {
		demoEnded <- u.makeChanges(ctx, srv)
		stop()
	}()
	err := work(ctx)
	stop()
	return errors.Join(err, <-demoEnded)
}

// step is a change and its description.
type step struct {
	title  string
	change func()
}

func (u *upstreams) makeChanges(ctx context.Context, srv *apitest.Server) error {
	s := webService{srv, u.namespace}
	wrote := 0
	for _, c := range []step{
		{"no endpoints", func() {}},
		{"two pods of web become ready", func() { s.create("10.0.0.1", "10.0.0.2") }},
		{"an annotation changes, no backend changes", s.annotate},
		{"the second pod fails its probe", func() { s.set("10.0.0.1", "10.0.0.2 down") }},
		{"the API server restarts; meanwhile a third pod becomes ready", func() {
			srv.Stop()
			s.set("10.0.0.1", "10.0.0.2 down", "10.0.0.3")
			srv.Start()
		}},
		{"web is scaled to zero", func() { s.set() }},
	} {
		c.change()
		select {
		case event := <-u.events:
			fmt.Fprintf(u.out, "\n-- %s\n%s\n", c.title, event)
			if event == "ignored" {
				continue
			}
		case <-ctx.Done():
			return nil
		}
		wrote++
		text, err := os.ReadFile(u.file)
		if err != nil {
			return err
		}
		_, services, _ := strings.Cut(string(text), "\n")
		fmt.Fprint(u.out, services)
	}
	fmt.Fprintf(u.out, "\nThe file was written %d times.\n", wrote)
	return nil
}

// webService is the service web with its Endpoints and EndpointSlice, which controllers
// create in a real cluster.
type webService struct {
	srv       *apitest.Server
	namespace string
}

func (s webService) create(pods ...string) {
	endpoints, slice := s.web(pods)
	apitest.Create(nil, s.srv, endpoints)
	apitest.Create(nil, s.srv, slice)
}

func (s webService) set(pods ...string) {
	endpoints, slice := s.web(pods)
	apitest.Modify(nil, s.srv, endpoints, func(e *Endpoints) { e.Subsets = endpoints.Subsets })
	apitest.Modify(nil, s.srv, slice, func(e *EndpointSlice) { e.Endpoints = slice.Endpoints })
}

// annotate sets the annotation that a cluster sets: the time of the last change.
func (s webService) annotate() {
	for _, object := range []metav1.PartialObjectMetadata{
		{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}, ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "web"}},
		{TypeMeta: metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "web-1"}},
	} {
		apitest.Modify(nil, s.srv, &object, func(o *metav1.PartialObjectMetadata) {
			o.Annotations = map[string]string{"endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z"}
		})
	}
}

// web returns the service with a pod for each address, ready unless "down" follows.
func (s webService) web(pods []string) (*Endpoints, *EndpointSlice) {
	ports := []Port{{Name: "http", Port: 8080, Protocol: "TCP"}}
	subset := Subset{Ports: ports}
	slice := &EndpointSlice{AddressType: "IPv4", Ports: ports, Endpoints: []Endpoint{}}
	slice.Namespace, slice.Name, slice.Labels = s.namespace, "web-1", map[string]string{"kubernetes.io/service-name": "web"}
	for _, pod := range pods {
		ip, down := strings.CutSuffix(pod, " down")
		ready := !down
		slice.Endpoints = append(slice.Endpoints, Endpoint{Addresses: []string{ip}, Conditions: Conditions{Ready: &ready}})
		if ready {
			subset.Addresses = append(subset.Addresses, Address{IP: ip})
		} else {
			subset.NotReadyAddresses = append(subset.NotReadyAddresses, Address{IP: ip})
		}
	}
	endpoints := &Endpoints{SlimMeta: rest.SlimMeta{Namespace: s.namespace, Name: "web"}}
	if len(pods) > 0 {
		endpoints.Subsets = []Subset{subset}
	}
	return endpoints, slice
}
