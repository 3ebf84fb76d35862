import { priceTable } from './price-table.ts'

/**
 * On-demand Linux prices of us-east-1 in US dollars per hour, used until the Pricing API has answered. A family's value times
 * the size's factor gives a price; types whose price does not follow their family's are listed apart and win.
 */
export const usEastPrices = priceTable(
  `
  a1=0.051 c1=0.26 c3=0.105 c4=0.0995 c5=0.085 c5a=0.077 c5ad=0.086 c5d=0.096 c5n=0.108 c6a=0.0765 c6g=0.068
  c6gd=0.0768 c6gn=0.0864 c6i=0.085 c6id=0.1008 c6in=0.1134 c7a=0.10264 c7g=0.0725 c7gd=0.09072 c7gn=0.1248
  c7i=0.08925 c7i-flex=0.08479 c8a=0.10777 c8g=0.07976 c8gb=0.1185 c8gd=0.09798 c8gn=0.1185 c8i=0.09371
  c8i-flex=0.08902 c8ib=0.13608 c8id=0.11088 c8in=0.13608 c8ine=0.1701 d2=0.345 d3=0.24972 d3en=0.26286 f2=0.165
  g4ad=0.108375 g4dn=0.136 g5=0.1696667 g5g=0.08575 g6=0.1390667 g6e=0.3138665 g6f=0.11875 g7e=0.3452533 h1=0.117
  i2=0.42625 i3=0.156 i3en=0.226 i4g=0.15444 i4i=0.1715 i7i=0.18876 i7ie=0.2599 i8g=0.1716 i8ge=0.2373
  im4gn=0.1819 inf2=0.1352215 is4gen=0.28815 m1=0.175 m2=0.1225 m3=0.133 m4=0.1 m5=0.096 m5a=0.086 m5ad=0.103
  m5d=0.113 m5dn=0.136 m5n=0.119 m5zn=0.16517 m6a=0.0864 m6g=0.077 m6gd=0.0904 m6i=0.096 m6id=0.11865
  m6idn=0.15912 m6in=0.13923 m7a=0.11592 m7g=0.0816 m7gd=0.10678 m7i=0.1008 m7i-flex=0.09576 m8a=0.12172
  m8azn=0.20646 m8g=0.08976 m8gb=0.1455 m8gd=0.11532 m8gn=0.1455 m8i=0.10584 m8i-flex=0.10055 m8ib=0.16708
  m8id=0.13052 m8in=0.16708 m8ine=0.20885 r3=0.16625 r4=0.133 r5=0.126 r5a=0.113 r5ad=0.131 r5b=0.149 r5d=0.144
  r5dn=0.167 r5n=0.149 r6a=0.1134 r6g=0.1008 r6gd=0.1152 r6i=0.126 r6id=0.1512 r6idn=0.19539 r6in=0.17433
  r7a=0.15215 r7g=0.1071 r7gd=0.13608 r7i=0.1323 r7iz=0.186 r8a=0.15976 r8g=0.11782 r8gb=0.18218 r8gd=0.14696
  r8gn=0.18218 r8i=0.13892 r8i-flex=0.13197 r8ib=0.2092 r8id=0.16632 r8in=0.2092 t2=0.0928 t3=0.0832 t3a=0.0752
  t4g=0.0672 trn1=0.3359375 vt1=0.1083333 x1=0.2084062 x1e=0.417 x2gd=0.167 x2idn=0.2084062 x2iedn=0.4168125
  x2iezn=0.417 x8g=0.1954 x8i=0.21883 z1d=0.186
  c9g=0.08694 c9gd=0.1068 m8idb=0.19094 m8idn=0.19094 m9g=0.09784 m9gd=0.1257 r8idb=0.23447 r8idn=0.23447
`,
  `
  c4.8xlarge=1.591 c4.large=0.1 c6g.metal=2.3066 c6gd.metal=2.6051 c7i.metal-24xl=4.7124 c8a.metal-24xl=5.69026
  c8g.metal-24xl=4.21133 c8gb.metal-24xl=6.02928 c8gd.metal-24xl=5.17334 c8gn.metal-24xl=6.0293
  c8i.metal-48xl=9.89578 c8ib.metal-48xl=14.37005 c8id.metal-48xl=11.70893 c8in.metal-48xl=14.37005
  d3.4xlarge=1.998 d3.xlarge=0.499 d3en.2xlarge=1.051 d3en.6xlarge=3.154 d3en.xlarge=0.526 dl1.24xlarge=13.10904
  g4ad.2xlarge=0.54117 g4ad.xlarge=0.37853 g4dn.12xlarge=3.912 g4dn.2xlarge=0.752 g4dn.4xlarge=1.204
  g4dn.metal=7.824 g4dn.xlarge=0.526 g5.12xlarge=5.672 g5.16xlarge=4.096 g5.2xlarge=1.212 g5.4xlarge=1.624
  g5.8xlarge=2.448 g5.xlarge=1.006 g5g.2xlarge=0.556 g5g.4xlarge=0.828 g5g.xlarge=0.42 g6.12xlarge=4.6016
  g6.16xlarge=3.3968 g6.2xlarge=0.9776 g6.4xlarge=1.3232 g6.8xlarge=2.0144 g6.xlarge=0.8048 g6e.12xlarge=10.49264
  g6e.16xlarge=7.57719 g6e.2xlarge=2.24208 g6e.4xlarge=3.00424 g6e.8xlarge=4.52856 g6e.xlarge=1.861
  g6f.large=0.202 g7e.2xlarge=3.36312 g7e.4xlarge=3.99816 g7e.8xlarge=5.26824 gr6.4xlarge=1.5392
  gr6.8xlarge=2.4464 gr6f.4xlarge=1.066 hpc7g.16xlarge=1.6832 hpc7g.4xlarge=1.6832 hpc7g.8xlarge=1.6832
  i2.xlarge=0.853 i4i.12xlarge=4.118 i4i.16xlarge=5.491 i4i.24xlarge=8.2368 i4i.32xlarge=10.9824 i4i.4xlarge=1.373
  i4i.8xlarge=2.746 i4i.large=0.172 i4i.metal=10.982 i7i.metal-24xl=9.6204 i7i.metal-48xl=19.2408
  i7ie.metal-24xl=13.2844 i7ie.metal-48xl=26.5687 i8g.metal-24xl=9.06048 i8g.metal-48xl=18.12096
  i8ge.metal-24xl=12.1313 i8ge.metal-48xl=24.2626 inf1.24xlarge=4.721 inf1.2xlarge=0.362 inf1.6xlarge=1.18
  inf1.xlarge=0.228 inf2.8xlarge=1.96786 inf2.xlarge=0.7582 m1.medium=0.087 m1.small=0.044 m3.medium=0.067
  m5zn.metal=4.3605 m6g.metal=2.6112 m6gd.metal=3.0664 m7i.metal-24xl=5.32224 m8a.metal-24xl=6.42682
  m8azn.metal-12xl=5.45054 m8azn.metal-24xl=10.90109 m8g.metal-24xl=4.73933 m8gb.metal-24xl=14.80608
  m8gd.metal-24xl=6.0889 m8gn.metal-24xl=7.403 m8ib.metal-48xl=17.64365 m8in.metal-48xl=17.64365
  p3dn.24xlarge=31.212 p4d.24xlarge=21.95764 p4de.24xlarge=27.44705 p5.48xlarge=55.04 p5.4xlarge=6.88
  p5en.48xlarge=63.296 p6-b200.48xlarge=113.9328 p6-b300.48xlarge=142.416 r3.large=0.166 r3.xlarge=0.333
  r5b.metal=7.8672 r6g.metal=3.4191 r6gd.metal=3.9076 r7i.metal-24xl=6.98544 r7iz.metal-16xl=6.5472
  r7iz.metal-32xl=13.0944 r8a.metal-24xl=8.43533 r8g.metal-24xl=6.2209 r8gb.metal-24xl=18.53864
  r8gd.metal-24xl=7.75949 r8gn.metal-24xl=9.2693 r8i.metal-48xl=14.66995 r8ib.metal-48xl=22.09152
  r8id.metal-48xl=17.56339 r8in.metal-48xl=22.09152 t2.small=0.023 trn1n.32xlarge=24.78 u-3tb1.56xlarge=27.3
  u-6tb1.112xlarge=54.6 u-6tb1.56xlarge=46.40391 u7i-12tb.224xlarge=125.5818 u7i-6tb.112xlarge=62.79
  u7i-8tb.112xlarge=83.72 u7in-16tb.224xlarge=180.4756 u7in-24tb.224xlarge=270.7313 u7in-32tb.224xlarge=360.9869
  x2gd.metal=5.8784 x8g.metal-24xl=10.31712 x8i.96xlarge=48.74438 x8i.metal-48xl=23.10845 x8i.metal-96xl=48.74438
  c9g.metal-48xl=9.18086 c9gd.metal-48xl=11.27808 g7.2xlarge=2.52 g7.4xlarge=3.04208 g7.8xlarge=4.08624
  g7.12xlarge=7.12832 g7.24xlarge=14.25664 g7.48xlarge=28.51328 m8idb.metal-48xl=20.16326 m8idn.metal-48xl=20.16326
  m9g.metal-48xl=10.3319 m9gd.metal-48xl=13.27392 r8idb.metal-48xl=24.76003 r8idn.metal-48xl=24.76003 t1.micro=0.02
`,
)
