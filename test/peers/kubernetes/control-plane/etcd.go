package main

import (
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// newEtcdCommand runs one etcd member. Its flags are the few of the real etcd that the tests use, so that either can be started with
// the same command line.
func newEtcdCommand() *cobra.Command {
	var dataDir, clientURL, peerURL string
	var unsafeNoFsync bool
	command := &cobra.Command{
		Use:          "etcd",
		SilenceUsage: true,
		Args:         cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return runEtcd(dataDir, clientURL, peerURL, unsafeNoFsync)
		},
	}
	flags := command.Flags()
	flags.StringVar(&dataDir, "data-dir", "", "directory of the database")
	flags.StringVar(&clientURL, "listen-client-urls", "", "URL to serve clients on")
	flags.StringVar(&clientURL, "advertise-client-urls", "", "same as --listen-client-urls")
	flags.StringVar(&peerURL, "listen-peer-urls", "", "URL to serve peers on")
	flags.BoolVar(&unsafeNoFsync, "unsafe-no-fsync", false, "do not wait for the disk")
	return command
}

func runEtcd(dataDir, clientURL, peerURL string, unsafeNoFsync bool) error {
	client, err := url.Parse(clientURL)
	if err != nil {
		return err
	}
	peer, err := url.Parse(peerURL)
	if err != nil {
		return err
	}
	config := embed.NewConfig()
	config.Dir = dataDir
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = unsafeNoFsync
	config.LogLevel = "warn"

	member, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer member.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	select {
	case <-stop:
		return nil
	case err := <-member.Err():
		return err
	}
}
