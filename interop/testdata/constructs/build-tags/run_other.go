//go:build !linux

package main

func run() {}
